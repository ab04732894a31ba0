import { openPostgres } from '@mailproof/service-kit/postgres';
import { onlyRow, type RowOf, type SqlResult } from '@mailproof/service-kit/sql';
import type { Pool } from 'pg';
import { ChangeFloor, type Look } from '../../domain/people-search/change-floor.ts';
import type { IndexedCompany } from '../../domain/people-search/columns/company-columns.ts';
import type { IndexedPerson } from '../../domain/people-search/columns/people-columns.ts';
import { sql } from './people-index.sql.ts';

/** The number of rows per statement: few enough that questions are answered in between. */
const batchRows = 2_000;

/**
 * How many polls a beginning waits for transactions that were open before it; longer transactions are read again at
 * their end.
 */
const waitLooksMax = 10;
const waitLookMs = 50;
/** The maximum of Postgres's `integer`. */
const recordNoMax = 2 ** 31 - 1;

/** What a copy holds as its people: the people of the store, or its companies (ADR 0097). */
export type CopiedRecords = 'people' | 'companies';

/** How the records of a copy are read. */
const reading = {
  people: {
    async count(pool: Pool, max: number) {
      return (await onlyRow(sql.count_people(pool, { people_max: max }))).count;
    },
    after: (pool: Pool, recordNo: number) =>
      sql.people_after(pool, { person_no: recordNo, rows_max: batchRows }),
    again: (pool: Pool, recordNos: number[]) => sql.people(pool, { person_nos: recordNos }),
    changed: sql.changed_people,
    removed: ({ personNo }: RowOf<typeof sql.removals>) => personNo ?? [],
  },
  companies: {
    async count(pool: Pool, max: number) {
      return (await onlyRow(sql.count_companies(pool, { companies_max: max }))).count;
    },
    after: (pool: Pool, recordNo: number) =>
      sql.companies_after(pool, { company_no: recordNo, rows_max: batchRows }),
    again: (pool: Pool, recordNos: number[]) => sql.companies_as_people(pool, { company_nos: recordNos }),
    changed: sql.changed_companies_as_people,
    removed: ({ companyNo }: RowOf<typeof sql.removals>) => companyNo ?? [],
  },
} as const;

/** Where a batch of changes begins: after this change number, or after this record of the same change number. */
interface ChangePosition {
  readonly change_no: number;
  readonly record_no: number;
}

interface ChangeBounds {
  readonly up_to: number;
  readonly rows_max: number;
}

/** A copy of the searched fields, in memory or in a search engine. Each change is applied as often as it is read. */
export interface StoreCopy {
  /** Whether it can hold no more people. */
  readonly isFull: boolean;
  /** Inserts or updates people, with companies that it does not have yet. */
  putPeople(people: readonly IndexedPerson[]): Promise<void>;
  /** Updates companies of people that it has. */
  putCompanies(companies: readonly IndexedCompany[]): Promise<void>;
  removePeople(personNos: readonly number[]): Promise<void>;
  /** Removes companies; returns the people who worked there, who must be read again. */
  removeCompanies(companyNos: readonly number[]): Promise<readonly number[]>;
}

/** Makes a copy follow the store: filled once, then refreshed in rounds. */
export class StoreFollower {
  private readonly pool: Pool;
  private readonly copy: StoreCopy;
  private readonly floor: ChangeFloor;
  /** People whose company was removed. */
  private readonly toReadAgain = new Set<number>();

  private readonly reading: (typeof reading)[CopiedRecords];

  private constructor(pool: Pool, copy: StoreCopy, floor: ChangeFloor, records: CopiedRecords) {
    this.pool = pool;
    this.copy = copy;
    this.floor = floor;
    this.reading = reading[records];
  }

  /** Begins with an empty copy, to be filled next. */
  static async begin(
    pool: Pool,
    copy: StoreCopy,
    wait: (ms: number) => Promise<unknown>,
    records: CopiedRecords = 'people',
  ): Promise<StoreFollower> {
    const first = await lookAt(pool);
    const floor = new ChangeFloor(first);
    for (let looks = 0; looks < waitLooksMax; looks += 1) {
      const look = await lookAt(pool);
      floor.advance(look);
      if (![...first.open].some(transaction => look.open.has(transaction))) {
        break;
      }
      await wait(waitLookMs);
    }
    // Filling sees all transactions that have ended so far.
    floor.settle();
    return new StoreFollower(pool, copy, floor, records);
  }

  /** Continues with a copy that has all changes up to a number (`readUpTo`), apart from people still to be filled. */
  static resume(pool: Pool, copy: StoreCopy, readUpTo: number): StoreFollower {
    return new StoreFollower(
      pool,
      copy,
      new ChangeFloor({ lastChangeNo: readUpTo, open: new Set() }),
      'people',
    );
  }

  /** The copy has all changes up to this number. */
  get readUpTo(): number {
    return this.floor.readUpTo;
  }

  /** Puts everyone with a greater person_no; reports the last one and how many after each batch. */
  async fill(
    after: number,
    onBatch: (lastPersonNo: number, people: number) => void | Promise<void>,
  ): Promise<void> {
    for (let last = after; ; ) {
      const { rows: people } = await this.reading.after(this.pool, last);
      await this.copy.putPeople(people);
      last = people.at(-1)?.personNo ?? last;
      await onBatch(last, people.length);
      if (people.length < batchRows || this.copy.isFull) {
        return;
      }
    }
  }

  /** Applies all changes so far. If a round fails, the next one catches up. */
  async refresh(): Promise<void> {
    const look = await lookAt(this.pool);
    const from = this.floor.advance(look);
    await this.each(from, look, sql.changed_companies, rows => this.copy.putCompanies(rows));
    await this.each(from, look, this.reading.changed, rows => this.copy.putPeople(rows));
    // Apply removals last, so that no removed person is added again.
    await this.each(from, look, sql.removals, async removals => {
      await this.copy.removePeople(removals.flatMap(this.reading.removed));
      const companyNos = removals.flatMap(({ companyNo }) => companyNo ?? []);
      for (const personNo of await this.copy.removeCompanies(companyNos)) {
        this.toReadAgain.add(personNo);
      }
    });
    await this.readAgain();
    this.floor.settle();
  }

  private async each<Row extends ChangePosition>(
    from: number,
    look: Look,
    read: (on: Pool, values: ChangePosition & ChangeBounds) => Promise<SqlResult<Row>>,
    take: (rows: readonly Row[]) => Promise<void>,
  ): Promise<void> {
    // No record has a greater number, so records of change number `from` itself are excluded.
    let after: ChangePosition = { change_no: from, record_no: recordNoMax };
    for (let more = from < look.lastChangeNo; more; ) {
      const { rows } = await read(this.pool, { ...after, up_to: look.lastChangeNo, rows_max: batchRows });
      await take(rows);
      after = rows.at(-1) ?? after;
      more = rows.length === batchRows;
    }
  }

  private async readAgain(): Promise<void> {
    while (this.toReadAgain.size > 0) {
      const personNos = [...this.toReadAgain].slice(0, batchRows);
      await this.copy.putPeople((await this.reading.again(this.pool, personNos)).rows);
      for (const personNo of personNos) {
        this.toReadAgain.delete(personNo);
      }
    }
  }
}

/** Opens the one connection over which an index follows the store. */
export function openFollowing(
  databaseUrl: string,
  records: CopiedRecords,
  onIdleError: (error: Error) => void,
): Pool {
  return openPostgres({
    connectionString: databaseUrl,
    schema: 'enrichment',
    applicationName: `mailproof-enrichment-${records}-index`,
    connectionsMax: 1,
    onIdleError,
  });
}

/** Counts the records to be copied, up to a maximum. */
export function countRecords(
  pool: Pool,
  recordsMax: number,
  records: CopiedRecords = 'people',
): Promise<number> {
  return reading[records].count(pool, recordsMax);
}

/** Returns the last change number assigned. */
export async function lastChangeNo(pool: Pool): Promise<number> {
  return (await onlyRow(sql.last_change(pool, {}))).last;
}

/** Returns the last change number assigned and the open transactions, in this order (see `ChangeFloor`). */
async function lookAt(pool: Pool): Promise<Look> {
  const last = await lastChangeNo(pool);
  const { rows } = await sql.open_transactions(pool, {});
  return { lastChangeNo: last, open: new Set(rows.map(({ virtualxid }) => virtualxid)) };
}
