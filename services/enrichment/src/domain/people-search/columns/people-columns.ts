import { wordsOfName } from '@mailproof/shared-types/name-words';
import { departments, seniorities } from '@mailproof/shared-types/vocabularies';
import { Column, codesOf, Dictionary, unknownCode } from './column.ts';
import { CompanyColumns, type IndexedCompany } from './company-columns.ts';
import { NameWords } from './name-words.ts';
import { KeywordDictionary, TitleColumn, ValueLists } from './text-columns.ts';

/** The searchable fields of a person. */
export interface IndexedPerson {
  readonly personNo: number;
  readonly fullName: string;
  readonly jobTitle: string | null;
  readonly seniority: string | null;
  readonly department: string | null;
  readonly companyNo: number | null;
  /** Used only if there is no company. */
  readonly companyName: string | null;
  readonly country: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly keywords: readonly string[];
}

const seniorityCodes = codesOf(seniorities);
const departmentCodes = codesOf(departments);

/** Rows of removed people are compacted when there are this many, and at least a fifth of all rows. */
const goneMin = 10_000;

/** All people in the index, by ascending person_no, with one column per searchable field (ADR 0029). */
export class PeopleColumns {
  readonly titles = new TitleColumn();
  readonly companies = new CompanyColumns();
  readonly countries = new Dictionary();
  readonly regions = new Dictionary();
  readonly cities = new Dictionary();
  readonly personNo: Column;
  readonly title: Column;
  readonly seniority: Column;
  readonly department: Column;
  readonly company: Column;
  readonly country: Column;
  readonly region: Column;
  readonly city: Column;
  readonly keywords: ValueLists<KeywordDictionary>;
  /** The words of each person's name. */
  readonly names: ValueLists<NameWords>;
  /** 1 if the person was removed. */
  readonly gone: Column;
  private readonly all: readonly Column[];
  /** Rows in use, including those of removed people. */
  rows = 0;
  private goneRows = 0;

  constructor(peopleExpected = 0) {
    const column = () => new Column(Math.ceil(peopleExpected * 1.02) + 1_024);
    this.personNo = column();
    this.title = column();
    this.seniority = column();
    this.department = column();
    this.company = column();
    this.country = column();
    this.region = column();
    this.city = column();
    this.gone = column();
    const capacity = this.personNo.numbers.length;
    this.keywords = new ValueLists(new KeywordDictionary(), capacity);
    this.names = new ValueLists(new NameWords(), capacity, { repeats: true });
    const { keywords, names } = this;
    this.all = [
      ...[this.personNo, this.title, this.seniority, this.department, this.company],
      ...[this.country, this.region, this.city, this.gone],
      ...[keywords.begin, keywords.end, names.begin, names.end],
    ];
  }

  /** The number of people, without removed ones. */
  get people(): number {
    return this.rows - this.goneRows;
  }

  /** The size of the columns and lists in bytes, without dictionaries. */
  get bytes(): number {
    const columns = this.all.reduce((sum, { numbers }) => sum + numbers.byteLength, 0);
    return columns + this.keywords.bytes + this.names.bytes + this.companies.bytes;
  }

  has(personNo: number): boolean {
    return this.rowOf(personNo) !== undefined;
  }

  /**
   * Inserts or updates people, together with companies not known yet. Numbers are assigned in ascending order, so
   * nearly all new people are appended.
   */
  put(people: readonly IndexedPerson[], newCompanies: readonly IndexedCompany[] = []): void {
    const inOrder = [...people].sort((one, other) => one.personNo - other.personNo);
    const between: IndexedPerson[] = [];
    for (const person of inOrder) {
      const row = this.rowOf(person.personNo);
      if (row !== undefined) {
        this.write(row, person);
      } else if (this.rows === 0 || person.personNo > (this.personNo.numbers[this.rows - 1] ?? 0)) {
        this.reserve(this.rows + 1);
        this.rows += 1;
        this.write(this.rows - 1, person);
      } else if (between.at(-1)?.personNo !== person.personNo) {
        between.push(person);
      }
    }
    this.insert(between);
    for (const company of newCompanies) {
      this.companies.put(company);
    }
    this.keywords.clearWaste(this.rows);
    this.names.clearWaste(this.rows);
  }

  remove(personNo: number): void {
    const row = this.rowOf(personNo);
    if (row !== undefined) {
      this.gone.numbers[row] = 1;
      this.goneRows += 1;
      this.keywords.forget(row);
      this.names.forget(row);
      this.clearGone();
    }
  }

  putCompany(company: IndexedCompany): void {
    this.companies.put(company);
  }

  /** Removes a company; returns the people who worked there, who must be read again. */
  removeCompany(companyNo: number): readonly number[] {
    const companyRow = this.companies.remove(companyNo);
    const people: number[] = [];
    for (let row = 0; companyRow !== undefined && row < this.rows; row += 1) {
      if (this.company.numbers[row] === companyRow && this.gone.numbers[row] === 0) {
        this.company.numbers[row] = 0;
        people.push(this.personNo.numbers[row] ?? 0);
      }
    }
    return people;
  }

  /** Returns the first row with a greater person_no. */
  firstRowAfter(personNo: number): number {
    let low = 0;
    let high = this.rows;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.personNo.numbers[middle] ?? 0) <= personNo) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns the row of a person who was not removed. */
  rowOf(personNo: number): number | undefined {
    const row = this.firstRowAfter(personNo) - 1;
    return row >= 0 && this.personNo.numbers[row] === personNo && this.gone.numbers[row] === 0
      ? row
      : undefined;
  }

  private write(row: number, person: IndexedPerson): void {
    this.personNo.numbers[row] = person.personNo;
    this.title.numbers[row] = this.titles.code(person.jobTitle);
    this.seniority.numbers[row] = seniorityCodes.get(person.seniority ?? '') ?? unknownCode;
    this.department.numbers[row] = departmentCodes.get(person.department ?? '') ?? unknownCode;
    this.company.numbers[row] =
      person.companyNo === null
        ? this.companies.rowOfName(person.companyName)
        : this.companies.rowOfNo(person.companyNo);
    this.country.numbers[row] = this.countries.code(person.country);
    this.region.numbers[row] = this.regions.code(person.region);
    this.city.numbers[row] = this.cities.code(person.city);
    this.gone.numbers[row] = 0;
    this.keywords.set(row, person.keywords);
    this.names.set(row, wordsOfName(person.fullName));
  }

  /**
   * Inserts people between existing rows by moving later ones: a transaction that took its numbers early ended late.
   */
  private insert(people: readonly IndexedPerson[]): void {
    if (people.length === 0) {
      return;
    }
    const positions = people.map(({ personNo }) => this.firstRowAfter(personNo));
    this.reserve(this.rows + people.length);
    for (const { numbers } of this.all) {
      let end = this.rows;
      for (let index = positions.length - 1; index >= 0; index -= 1) {
        const position = positions[index] ?? 0;
        numbers.copyWithin(position + index + 1, position, end);
        numbers[position + index] = 0;
        end = position;
      }
    }
    this.rows += people.length;
    for (const [index, person] of people.entries()) {
      this.write((positions[index] ?? 0) + index, person);
    }
  }

  private reserve(rows: number): void {
    if (rows > this.personNo.numbers.length) {
      for (const column of this.all) {
        column.reserve(rows);
      }
    }
  }

  private clearGone(): void {
    if (this.goneRows < goneMin || this.goneRows * 5 < this.rows) {
      return;
    }
    const gone = this.gone.numbers.slice(0, this.rows);
    for (const { numbers } of this.all) {
      let kept = 0;
      for (let row = 0; row < gone.length; row += 1) {
        if (gone[row] === 0) {
          numbers[kept] = numbers[row] ?? 0;
          kept += 1;
        }
      }
      numbers.fill(0, kept, gone.length);
    }
    this.rows -= this.goneRows;
    this.goneRows = 0;
  }
}
