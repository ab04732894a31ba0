import {
  type AccountId,
  type CompanyId,
  isSandboxAccount,
  limits,
  type PeopleFilters,
  type PersonId,
  peopleFilters,
} from '@mailproof/shared-types';
import { simulateErrorOf } from '../sandbox/simulated-errors.ts';
import type { FilteredKind } from './filter-search-store.ts';
import type { DeliveredRun, RunDelivery, SearchExtent } from './run.ts';
import type { PreviewPorts } from './search-preview.ts';

/** A record that can be chosen from a preview. */
export type RecordId = PersonId | CompanyId;

/** The store operations that a chunk of a run needs: for people or companies, by their numbers in the store. */
export interface SavingStore<Transaction> {
  /** Returns the numbers of the records that the account has paid for, ascending. */
  savedNumbers(accountId: AccountId): Promise<Int32Array>;
  /** Returns the numbers of records in the store, ascending. */
  numbersOf(ids: readonly RecordId[]): Promise<number[]>;
  /** Returns the given numbers that the account has not saved, ascending. */
  unsavedOf(accountId: AccountId, recordNos: readonly number[]): Promise<number[]>;
  /**
   * Saves records that are in the store and not paid for yet, also into the run's list, and returns how many.
   * Suppressed people and removed companies are not in the store.
   */
  save(transaction: Transaction, run: DeliveredRun, recordNos: readonly number[]): Promise<number>;
  countSaved(transaction: Transaction, run: DeliveredRun): Promise<number>;
}

/** The number of records in one chunk, and of candidates examined for them. */
const chunkMax = 500;
const candidatesMax = 5_000;

/** What a preview tells a delivery of chosen records. */
interface ChosenRow {
  readonly id: RecordId;
  readonly isSaved: boolean;
}

interface FilterDeliveryOptions<Transaction>
  extends Pick<RunDelivery<Transaction>, 'price' | 'cause'>,
    Pick<PreviewPorts<ChosenRow>, 'indexOf' | 'readPreviews'> {
  readonly kind: FilteredKind;
  readonly store: SavingStore<Transaction>;
}

/**
 * Delivers people or companies by ascending number, which never changes, so that a position is the last examined
 * number; a run of chosen records has their numbers as its position.
 */
export function createFilterDelivery<Transaction>({
  kind,
  price,
  cause,
  indexOf,
  readPreviews,
  store,
}: FilterDeliveryOptions<Transaction>): RunDelivery<Transaction> {
  async function measureChosen(
    accountId: AccountId,
    filters: PeopleFilters,
    chosen: readonly RecordId[],
  ): Promise<SearchExtent> {
    const page = { filters, after: 0, limit: limits.previewedPeopleMax };
    const [all, shown] = await Promise.all([
      indexOf(accountId).count({ filters }),
      indexOf(accountId).page(page),
    ]);
    const wanted = new Set(chosen);
    const previews = await readPreviews(accountId, shown.personNos);
    const ids = new Set(previews.flatMap(({ id, isSaved }) => (wanted.has(id) && !isSaved ? [id] : [])));
    const numbers = await store.numbersOf([...ids]);
    return { matching: all.total, deliverable: numbers.length, position: positionOf(numbers) };
  }

  async function findChosen({ accountId, query }: DeliveredRun, chosen: readonly number[]) {
    const numbers = await store.unsavedOf(accountId, chosen);
    const saved = await store.savedNumbers(accountId);
    const skip = Int32Array.from(new Set([...saved, ...chosen])).sort();
    const rest = await indexOf(accountId).count({ filters: filtersOf(query), skip });
    return { numbers, hasMore: rest.total > 0 };
  }

  return {
    kind,
    price,
    cause,
    chunkMax,
    async measure({ accountId, query }, chosen) {
      const filters = filtersOf(query);
      if (isSandboxAccount(accountId)) simulateErrorOf(filters.company_domains, 'run');
      if (chosen) return measureChosen(accountId, filters, chosen);
      const index = indexOf(accountId);
      const skip = await store.savedNumbers(accountId);
      const [all, unsaved] = await Promise.all([index.count({ filters }), index.count({ filters, skip })]);
      return { matching: all.total, deliverable: unsaved.total };
    },
    async findNext({ run, position, wanted }) {
      const chosen = numbersAt(position);
      if (chosen) {
        const { numbers, hasMore } = await findChosen(run, chosen);
        return {
          position: positionOf(chosen),
          isExhausted: true,
          hasMore,
          save: transaction => store.save(transaction, run, numbers),
        };
      }
      const after = Number(position ?? 0);
      const filters = filtersOf(run.query);
      const page = await indexOf(run.accountId).page({ filters, after, limit: candidatesMax });
      const unsaved = await store.unsavedOf(run.accountId, page.personNos);
      const taken = unsaved.slice(0, wanted);
      const isCut = unsaved.length > wanted;
      const last = isCut ? taken.at(-1) : page.personNos.at(-1);
      return {
        position: String(last ?? after),
        isExhausted: !isCut && !page.more,
        save: transaction => store.save(transaction, run, taken),
      };
    },
    countDelivered: (transaction, run) => store.countSaved(transaction, run),
  };
}

const chosenPrefix = 'chosen:';

function positionOf(chosen: readonly number[]): string {
  return `${chosenPrefix}${chosen.join(',')}`;
}

/** Returns the numbers of the chosen records; undefined if none were chosen. */
function numbersAt(position: string | undefined): number[] | undefined {
  return position?.startsWith(chosenPrefix)
    ? position.slice(chosenPrefix.length).split(',').map(Number)
    : undefined;
}

/** Parses the search's filters as they were accepted. */
export function filtersOf(query: unknown): PeopleFilters {
  return peopleFilters.parse(query);
}
