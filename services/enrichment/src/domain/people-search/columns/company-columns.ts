import { companySizes, companyTypes, revenues } from '@mailproof/shared-types/vocabularies';
import { Column, codesOf, Dictionary, keyOfText, unknownCode } from './column.ts';
import { ValueLists } from './text-columns.ts';

/** The searchable fields of a company. */
export interface IndexedCompany {
  readonly companyNo: number;
  readonly name: string;
  readonly domain: string | null;
  readonly companySize: string | null;
  readonly revenue: string | null;
  readonly companyType: string | null;
  readonly industry: string | null;
  readonly foundedYear: number | null;
  /** Total funding in US dollars. */
  readonly fundingUsd: number | null;
  readonly technologies: readonly string[];
}

const sizeCodes = codesOf(companySizes);
const revenueCodes = codesOf(revenues);
const typeCodes = codesOf(companyTypes);

/**
 * The employers of people, including those known only by name. People refer to these rows, so that a change of a
 * company is one update.
 */
export class CompanyColumns {
  readonly names = new Dictionary(keyOfCompanyName);
  readonly industries = new Dictionary();
  readonly name = new Column(1_024);
  readonly size = new Column(1_024);
  readonly revenue = new Column(1_024);
  readonly type = new Column(1_024);
  readonly industry = new Column(1_024);
  /** The year itself; 0 if it is unknown. */
  readonly founded = new Column(1_024);
  /** Amounts in US dollars, which can exceed the numbers of a column. */
  readonly fundings = new Dictionary(String);
  readonly funding = new Column(1_024);
  readonly technologies = new ValueLists(new Dictionary(), 1_024);
  private readonly all = [
    ...[this.name, this.size, this.revenue, this.type, this.industry, this.founded],
    ...[this.funding, this.technologies.begin, this.technologies.end],
  ];
  private readonly domains: (string | null)[] = [null];
  private readonly rowsByNo = new Map<number, number>();
  private readonly rowsByDomain = new Map<string, number>();
  private readonly rowsByName = new Map<number, number>();
  /** The number of rows in use; the first row is for people without a company. */
  rows = 1;

  has(companyNo: number): boolean {
    return this.rowsByNo.has(companyNo);
  }

  /** Returns the row of a person's company. */
  rowOfNo(companyNo: number): number {
    let row = this.rowsByNo.get(companyNo);
    if (row === undefined) {
      row = this.add();
      this.rowsByNo.set(companyNo, row);
    }
    return row;
  }

  /** Returns the row of a company known only by name. */
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

  /** Inserts or updates a company, if anyone works for it. */
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
    this.founded.numbers[row] = company.foundedYear ?? unknownCode;
    this.funding.numbers[row] = this.fundings.code(company.fundingUsd?.toString() ?? null);
    this.technologies.set(row, company.technologies);
    this.technologies.clearWaste(this.rows);
    this.setDomain(row, company.domain);
  }

  /** Removes a company; returns its row, whose people must be read again. */
  remove(companyNo: number): number | undefined {
    const row = this.rowsByNo.get(companyNo);
    if (row !== undefined) {
      this.rowsByNo.delete(companyNo);
      this.setDomain(row, null);
      this.technologies.forget(row);
      for (const column of this.all) {
        column.numbers[row] = unknownCode;
      }
    }
    return row;
  }

  /** Returns the row of a company that is an employer of people in the index. */
  rowOfKnownNo(companyNo: number): number | undefined {
    return this.rowsByNo.get(companyNo);
  }

  rowOfDomain(domain: string): number | undefined {
    return this.rowsByDomain.get(domain);
  }

  get bytes(): number {
    return this.all.reduce((sum, { numbers }) => sum + numbers.byteLength, this.technologies.bytes);
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

/** Legal forms of companies, and the word between two of them. */
const legalForms = new Set(
  'inc incorporated llc llp lp ltd limited gmbh mbh ag se kg kgaa ug ohg ev sa sas sasu sarl srl spa sl slu bv nv plc corp corporation co company oy oyj ab as asa aps pty pvt private kk sro doo zoo holding holdings group and'.split(
    ' ',
  ),
);

/**
 * Normalizes a company's name for comparison: without a trailing legal form and a leading article, unless nothing else
 * remains.
 */
export function keyOfCompanyName(name: string): string {
  const words = keyOfText(name).split(' ');
  while (words.length > 1 && legalForms.has(words.at(-1) ?? '')) {
    words.pop();
  }
  if (words.length > 1 && words[0] === 'the') {
    words.shift();
  }
  return words.join(' ');
}
