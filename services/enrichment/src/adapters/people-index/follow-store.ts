import { onlyRow, type SqlResult } from '@mailproof/service-kit/sql';
import type { Pool } from 'pg';
import { ChangeFloor, type Look } from '../../domain/people-search/change-floor.ts';
import { type IndexedPerson, PeopleColumns } from '../../domain/people-search/columns/people-columns.ts';
import { sql } from './people-index.sql.ts';

/** The number of rows per statement: few enough that questions are answered in between. */
const batchRows = 2_000;

/**
 * How many polls loading waits for transactions that were open before it; longer transactions are read again at their
 * end.
 */
const waitLooksMax = 10;
const waitLookMs = 50;
/** The maximum of Postgres's `integer`. */
const recordNoMax = 2 ** 31 - 1;

/** Where a batch of changes begins: after this change number, or after this record of the same change number. */
interface ChangePosition {
  readonly change_no: number;
  readonly record_no: number;
}

interface ChangeBounds {
  readonly up_to: number;
  readonly rows_max: number;
}

export interface FollowOptions {
  readonly pool: Pool;
  readonly peopleMax: number;
  readonly wait: (ms: number) => Promise<unknown>;
  readonly onProgress: (people: number, peopleExpected: number) => void;
}

/** Columns that follow the store: loaded once, then refreshed in rounds. */
export class StoreFollower {
  readonly columns: PeopleColumns;
  /** Whether `peopleMax` excludes people. */
  isFull = false;
  private readonly pool: Pool;
  private readonly peopleMax: number;
  private readonly floor: ChangeFloor;
  /** People whose company was removed. */
  private readonly toReadAgain = new Set<number>();

  private constructor({ pool, peopleMax }: FollowOptions, floor: ChangeFloor, peopleExpected: number) {
    this.pool = pool;
    this.peopleMax = peopleMax;
    this.floor = floor;
    this.columns = new PeopleColumns(peopleExpected);
  }

  static async load(options: FollowOptions): Promise<StoreFollower> {
    const { pool, peopleMax, wait, onProgress } = options;
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
    // Loading sees all transactions that have ended so far.
    floor.settle();
    const { count: peopleExpected } = await onlyRow(sql.count_people(pool, { people_max: peopleMax + 1 }));
    const follower = new StoreFollower(options, floor, Math.min(peopleExpected, peopleMax));
    for (let last = 0; ; ) {
      const { rows: people } = await sql.people_after(pool, { person_no: last, rows_max: batchRows });
      await follower.put(people);
      onProgress(follower.columns.people, Math.min(peopleExpected, peopleMax));
      last = people.at(-1)?.personNo ?? last;
      if (people.length < batchRows || follower.isFull) {
        return follower;
      }
    }
  }

  /** Applies all changes so far. If a round fails, the next one catches up. */
  async refresh(): Promise<void> {
    const look = await lookAt(this.pool);
    const from = this.floor.advance(look);
    await this.each(from, look, sql.changed_companies, async companies => {
      for (const company of companies) {
        this.columns.putCompany(company);
      }
    });
    await this.each(from, look, sql.changed_people, rows => this.put(rows));
    // Apply removals last, so that no removed person is added again.
    await this.each(from, look, sql.removals, async removals => {
      for (const { personNo, companyNo } of removals) {
        if (personNo !== null) {
          this.columns.remove(personNo);
        }
        if (companyNo !== null) {
          for (const each of this.columns.removeCompany(companyNo)) {
            this.toReadAgain.add(each);
          }
        }
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

  private async put(people: readonly IndexedPerson[]): Promise<void> {
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

  private async readAgain(): Promise<void> {
    while (this.toReadAgain.size > 0) {
      const personNos = [...this.toReadAgain].slice(0, batchRows);
      await this.put((await sql.people(this.pool, { person_nos: personNos })).rows);
      for (const personNo of personNos) {
        this.toReadAgain.delete(personNo);
      }
    }
  }
}

/** Returns the last change number assigned and the open transactions, in this order (see `ChangeFloor`). */
async function lookAt(pool: Pool): Promise<Look> {
  const { last } = await onlyRow(sql.last_change(pool, {}));
  const { rows } = await sql.open_transactions(pool, {});
  return { lastChangeNo: last, open: new Set(rows.map(({ virtualxid }) => virtualxid)) };
}
