import { companySizes, companyTypes, revenues } from '@mailproof/shared-types';
import { keyOfCompanyName } from './company-name.ts';
import { Dictionary, unknownCode } from './dictionary.ts';
import { Column } from './growing.ts';
import { codesOf } from './vocabulary-codes.ts';

/** What is searched of a company. */
export interface IndexedCompany {
  readonly companyNo: number;
  readonly name: string;
  readonly domain: string | null;
  readonly companySize: string | null;
  readonly revenue: string | null;
  readonly companyType: string | null;
  readonly industry: string | null;
}

const sizeCodes = codesOf(companySizes);
const revenueCodes = codesOf(revenues);
const typeCodes = codesOf(companyTypes);

/**
 * The companies of people, and names of companies that are known by nothing else. People point here, so that a change
 * of a company is one change.
 */
export class CompanyColumns {
  readonly names = new Dictionary(keyOfCompanyName);
  readonly industries = new Dictionary();
  readonly name = new Column(1_024);
  readonly size = new Column(1_024);
  readonly revenue = new Column(1_024);
  readonly type = new Column(1_024);
  readonly industry = new Column(1_024);
  private readonly all = [this.name, this.size, this.revenue, this.type, this.industry];
  private readonly domains: (string | null)[] = [null];
  private readonly rowsByNo = new Map<number, number>();
  private readonly rowsByDomain = new Map<string, number>();
  private readonly rowsByName = new Map<number, number>();
  /** Rows in use; the first one is for people without a company. */
  rows = 1;

  has(companyNo: number): boolean {
    return this.rowsByNo.has(companyNo);
  }

  /** The row of a company that a person works for. */
  rowOfNo(companyNo: number): number {
    let row = this.rowsByNo.get(companyNo);
    if (row === undefined) {
      row = this.add();
      this.rowsByNo.set(companyNo, row);
    }
    return row;
  }

  /** The row of a company of which people tell the name alone. */
  rowOfName(name: string | null): number {
    const code = this.names.code(name);
    if (code === unknownCode) {
      return 0;
    }
    let row = this.rowsByName.get(code);
    if (row === undefined) {
      row = this.add();
      this.name.numbers[row] = code;
      this.rowsByName.set(code, row);
    }
    return row;
  }

  /** Takes a company in if anybody works for it. */
  put(company: IndexedCompany): void {
    const row = this.rowsByNo.get(company.companyNo);
    if (row === undefined) {
      return;
    }
    this.name.numbers[row] = this.names.code(company.name);
    this.size.numbers[row] = sizeCodes.get(company.companySize ?? '') ?? unknownCode;
    this.revenue.numbers[row] = revenueCodes.get(company.revenue ?? '') ?? unknownCode;
    this.type.numbers[row] = typeCodes.get(company.companyType ?? '') ?? unknownCode;
    this.industry.numbers[row] = this.industries.code(company.industry);
    this.setDomain(row, company.domain);
  }

  /** Lets go of a company; answers its row, whose people are to be read again. */
  remove(companyNo: number): number | undefined {
    const row = this.rowsByNo.get(companyNo);
    if (row !== undefined) {
      this.rowsByNo.delete(companyNo);
      this.setDomain(row, null);
      for (const column of this.all) {
        column.numbers[row] = unknownCode;
      }
    }
    return row;
  }

  rowOfDomain(domain: string): number | undefined {
    return this.rowsByDomain.get(domain);
  }

  get bytes(): number {
    return this.all.reduce((sum, { numbers }) => sum + numbers.byteLength, 0);
  }

  private add(): number {
    const row = this.rows;
    this.rows += 1;
    this.domains.push(null);
    for (const column of this.all) {
      column.reserve(this.rows);
    }
    return row;
  }

  private setDomain(row: number, domain: string | null): void {
    const before = this.domains[row] ?? null;
    if (before !== null && this.rowsByDomain.get(before) === row) {
      this.rowsByDomain.delete(before);
    }
    this.domains[row] = domain;
    if (domain !== null) {
      this.rowsByDomain.set(domain, row);
    }
  }
}
