import { ChangeFloor, type Look } from '../../domain/people-search/change-floor.ts';
import { type IndexedPerson, PeopleColumns } from '../../domain/people-search/columns/people-columns.ts';
import { batchRows, type ChangePosition, type Changes, type StoreReader } from './read-store.ts';

/**
 * How many polls loading waits for transactions that were open before it; longer transactions are read again at their
 * end.
 */
const waitLooksMax = 10;
const waitLookMs = 50;
/** The maximum of Postgres's `integer`. */
const recordNoMax = 2 ** 31 - 1;

export interface FollowOptions {
  readonly reader: StoreReader;
  readonly peopleMax: number;
  readonly wait: (ms: number) => Promise<unknown>;
  readonly onProgress: (people: number, peopleExpected: number) => void;
}

/** Columns that follow the store: loaded once, then refreshed in rounds. */
export class StoreFollower {
  readonly columns: PeopleColumns;
  /** Whether `peopleMax` excludes people. */
  isFull = false;
  private readonly reader: StoreReader;
  private readonly peopleMax: number;
  private readonly floor: ChangeFloor;
  /** People whose company was removed. */
  private readonly toReadAgain = new Set<number>();

  private constructor({ reader, peopleMax }: FollowOptions, floor: ChangeFloor, peopleExpected: number) {
    this.reader = reader;
    this.peopleMax = peopleMax;
    this.floor = floor;
    this.columns = new PeopleColumns(peopleExpected);
  }

  static async load(options: FollowOptions): Promise<StoreFollower> {
    const { reader, peopleMax, wait, onProgress } = options;
    const first = await reader.look();
    const floor = new ChangeFloor(first);
    for (let looks = 0; looks < waitLooksMax; looks += 1) {
      const look = await reader.look();
      floor.advance(look);
      if (![...first.open].some(transaction => look.open.has(transaction))) {
        break;
      }
      await wait(waitLookMs);
    }
    // Loading sees all transactions that have ended so far.
    floor.settle();
    const peopleExpected = await reader.countPeople(peopleMax + 1);
    const follower = new StoreFollower(options, floor, Math.min(peopleExpected, peopleMax));
    for (let last = 0; ; ) {
      const people = await reader.peopleAfter(last);
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
    const look = await this.reader.look();
    const from = this.floor.advance(look);
    await this.each(
      from,
      look,
      (after, upTo) => this.reader.changedCompanies(after, upTo),
      async companies => {
        for (const company of companies) {
          this.columns.putCompany(company);
        }
      },
    );
    await this.each(
      from,
      look,
      (after, upTo) => this.reader.changedPeople(after, upTo),
      rows => this.put(rows),
    );
    // Apply removals last, so that no removed person is added again.
    await this.each(
      from,
      look,
      (after, upTo) => this.reader.removals(after, upTo),
      async removals => {
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
      },
    );
    await this.readAgain();
    this.floor.settle();
  }

  private async each<Row>(
    from: number,
    look: Look,
    read: (after: ChangePosition, upTo: number) => Promise<Changes<Row>>,
    take: (rows: readonly Row[]) => Promise<void>,
  ): Promise<void> {
    // No record has a greater number, so records of change number `from` itself are excluded.
    let after: ChangePosition = { changeNo: from, recordNo: recordNoMax };
    for (let more = from < look.lastChangeNo; more; ) {
      const { rows, last } = await read(after, look.lastChangeNo);
      await take(rows);
      after = last;
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
    const companies = companyNos.size > 0 ? await this.reader.companies([...companyNos]) : [];
    this.columns.put(taken, companies);
  }

  private async readAgain(): Promise<void> {
    while (this.toReadAgain.size > 0) {
      const personNos = [...this.toReadAgain].slice(0, batchRows);
      await this.put(await this.reader.people(personNos));
      for (const personNo of personNos) {
        this.toReadAgain.delete(personNo);
      }
    }
  }
}
