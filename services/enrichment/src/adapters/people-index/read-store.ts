import type pg from 'pg';
import type { Look } from '../../domain/people-search/change-floor.ts';
import type { IndexedCompany } from '../../domain/people-search/columns/company-columns.ts';
import type { IndexedPerson } from '../../domain/people-search/columns/people-columns.ts';

/** The number of rows per statement: few enough that questions are answered in between. */
export const batchRows = 2_000;

const personColumns =
  'person_no, job_title, seniority, department, company_no, company_name, country, region, city, keywords';
const companyColumns = 'company_no, name, domain, company_size, revenue, company_type, industry';

/** Where a batch of changes begins: after this change number, or after this record of the same change number. */
export interface ChangePosition {
  readonly changeNo: number;
  readonly recordNo: number;
}

/** The rows of a batch and the position of the last one. */
export interface Changes<Row> {
  readonly rows: readonly Row[];
  readonly last: ChangePosition;
}

export interface Removal {
  readonly personNo: number | null;
  readonly companyNo: number | null;
}

type Row = readonly unknown[];

/** Reads the data of the index. Every statement sees everything committed before it. */
export class StoreReader {
  private readonly pool: pg.Pool;

  constructor(pool: pg.Pool) {
    this.pool = pool;
  }

  /** Counts people, up to `max`. */
  async countPeople(max: number): Promise<number> {
    const rows = await this.rows(
      'count',
      'SELECT count(*)::int FROM (SELECT FROM person LIMIT $1) AS counted',
      [max],
    );
    return rows[0]?.[0] as number;
  }

  async peopleAfter(personNo: number): Promise<IndexedPerson[]> {
    const rows = await this.rows(
      'people-after',
      `SELECT ${personColumns} FROM person WHERE person_no > $1 ORDER BY person_no LIMIT ${batchRows}`,
      [personNo],
    );
    return rows.map(personOf);
  }

  async people(personNos: readonly number[]): Promise<IndexedPerson[]> {
    const text = `SELECT ${personColumns} FROM person WHERE person_no = ANY($1)`;
    return (await this.rows('people', text, [personNos])).map(personOf);
  }

  async companies(companyNos: readonly number[]): Promise<IndexedCompany[]> {
    const text = `SELECT ${companyColumns} FROM company WHERE company_no = ANY($1)`;
    return (await this.rows('companies', text, [companyNos])).map(companyOf);
  }

  /**
   * Returns the last change number assigned and the open transactions, in this order (see `ChangeFloor`). Every
   * transaction locks its own virtual ID for its whole life, even before its first write; the lock is released when its
   * changes become visible. `pg_locks` shows the locks of every role. Transactions that cannot change records are
   * excluded, since they may take minutes: VACUUM, which cannot run within a transaction that changes records, and
   * Postgres's own processes, which are not client sessions.
   */
  async look(): Promise<Look> {
    const last = await this.rows(
      'last-change',
      "SELECT coalesce(pg_sequence_last_value('record_change_no'), 0)::float8",
      [],
    );
    const open = await this.rows(
      'open-transactions',
      `SELECT held.virtualxid
       FROM pg_locks AS held LEFT JOIN pg_stat_activity AS session USING (pid)
       WHERE held.locktype = 'virtualxid' AND held.mode = 'ExclusiveLock' AND held.granted
         AND held.pid <> pg_backend_pid()
         AND held.pid NOT IN (SELECT pid FROM pg_stat_progress_vacuum)
         AND session.usesysid IS NOT NULL
         AND session.datid IS NOT DISTINCT FROM (SELECT oid FROM pg_database WHERE datname = current_database())`,
      [],
    );
    return { lastChangeNo: last[0]?.[0] as number, open: new Set(open.map(row => row[0] as string)) };
  }

  async changedPeople(after: ChangePosition, upTo: number): Promise<Changes<IndexedPerson>> {
    const { rows, last } = await this.changes('person', personColumns, 'person_no', after, upTo);
    return { rows: rows.map(personOf), last };
  }

  async changedCompanies(after: ChangePosition, upTo: number): Promise<Changes<IndexedCompany>> {
    const { rows, last } = await this.changes('company', companyColumns, 'company_no', after, upTo);
    return { rows: rows.map(companyOf), last };
  }

  async removals(after: ChangePosition, upTo: number): Promise<Changes<Removal>> {
    const key = 'coalesce(person_no, company_no)';
    const { rows, last } = await this.changes('removed_record', 'person_no, company_no', key, after, upTo);
    return {
      rows: rows.map(row => ({ personNo: row[0] as number | null, companyNo: row[1] as number | null })),
      last,
    };
  }

  /** Reads rows of a table by change number; several rows may have the same number. */
  private async changes(
    table: string,
    columns: string,
    key: string,
    { changeNo, recordNo }: ChangePosition,
    upTo: number,
  ): Promise<{ rows: Row[]; last: ChangePosition }> {
    const text = `SELECT ${columns}, change_no::float8, ${key} FROM ${table}
      WHERE change_no >= $1 AND (change_no, ${key}) > ($1, $2) AND change_no <= $3
      ORDER BY change_no, ${key} LIMIT ${batchRows}`;
    const rows = await this.rows(`changed-${table}`, text, [changeNo, recordNo, upTo]);
    const [lastNo = upTo, lastRecord = 0] = (rows.at(-1)?.slice(-2) ?? []) as number[];
    return { rows, last: { changeNo: lastNo, recordNo: lastRecord } };
  }

  private async rows(name: string, text: string, values: unknown[]): Promise<Row[]> {
    return (await this.pool.query({ name: `people-index-${name}`, text, values, rowMode: 'array' }))
      .rows as Row[];
  }
}

function personOf(row: Row): IndexedPerson {
  return {
    personNo: row[0] as number,
    jobTitle: row[1] as string | null,
    seniority: row[2] as string | null,
    department: row[3] as string | null,
    companyNo: row[4] as number | null,
    companyName: row[5] as string | null,
    country: row[6] as string | null,
    region: row[7] as string | null,
    city: row[8] as string | null,
    keywords: row[9] as string[],
  };
}

function companyOf(row: Row): IndexedCompany {
  return {
    companyNo: row[0] as number,
    name: row[1] as string,
    domain: row[2] as string | null,
    companySize: row[3] as string | null,
    revenue: row[4] as string | null,
    companyType: row[5] as string | null,
    industry: row[6] as string | null,
  };
}
