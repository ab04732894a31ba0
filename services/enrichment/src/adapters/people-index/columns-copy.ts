import type { Pool } from 'pg';
import type { IndexedCompany } from '../../domain/people-search/columns/company-columns.ts';
import { type IndexedPerson, PeopleColumns } from '../../domain/people-search/columns/people-columns.ts';
import type { StoreCopy } from './follow-store.ts';
import { sql } from './people-index.sql.ts';

/** The copy in memory, of at most `peopleMax` people. */
export class ColumnsCopy implements StoreCopy {
  readonly columns: PeopleColumns;
  isFull = false;
  private readonly pool: Pool;
  private readonly peopleMax: number;

  constructor(pool: Pool, peopleMax: number, peopleExpected: number) {
    this.pool = pool;
    this.peopleMax = peopleMax;
    this.columns = new PeopleColumns(peopleExpected);
  }

  async putPeople(people: readonly IndexedPerson[]): Promise<void> {
    let room = this.peopleMax - this.columns.people;
    const taken = people.filter(({ personNo }) => {
      if (this.columns.has(personNo)) {
        return true;
      }
      room -= 1;
      this.isFull ||= room < 0;
      return room >= 0;
    });
    const companyNos = new Set<number>();
    for (const { companyNo } of taken) {
      if (companyNo !== null && !this.columns.companies.has(companyNo)) {
        companyNos.add(companyNo);
      }
    }
    // Read companies before adding people, so that no question encounters a person whose company is missing.
    const { rows: companies } =
      companyNos.size > 0 ? await sql.companies(this.pool, { company_nos: [...companyNos] }) : { rows: [] };
    this.columns.put(taken, companies);
  }

  async putCompanies(companies: readonly IndexedCompany[]): Promise<void> {
    for (const company of companies) {
      this.columns.putCompany(company);
    }
  }

  async removePeople(personNos: readonly number[]): Promise<void> {
    for (const personNo of personNos) {
      this.columns.remove(personNo);
    }
  }

  async removeCompanies(companyNos: readonly number[]): Promise<readonly number[]> {
    return companyNos.flatMap(companyNo => this.columns.removeCompany(companyNo));
  }
}
