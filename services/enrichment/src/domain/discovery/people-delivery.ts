import {
  type AccountId,
  isSandboxAccount,
  limits,
  type PeopleFilters,
  type PersonId,
  peopleFilters,
  prices,
} from '@mailproof/shared-types';
import type { IndexOfAccount } from '../people-search/people-index.ts';
import { simulateErrorOf } from '../sandbox/simulated-errors.ts';
import type { PreviewPorts } from './people-preview.ts';
import type { DeliveredRun, RunDelivery, SearchExtent } from './run.ts';

/** The store operations that a chunk of a people run needs. */
export interface SavingStore<Transaction> {
  /** Returns the numbers of the people that the account has saved, ascending. */
  savedNumbers(accountId: AccountId): Promise<Int32Array>;
  /** Returns the numbers of people in the store, ascending. */
  numbersOf(personIds: readonly PersonId[]): Promise<number[]>;
  /** Returns the given numbers that the account has not saved, ascending. */
  unsavedOf(accountId: AccountId, personNos: readonly number[]): Promise<number[]>;
  /**
   * Saves people who are in the store and not saved yet, also into the run's list, and returns how many. Suppressed
   * people are not in the store.
   */
  save(transaction: Transaction, run: DeliveredRun, personNos: readonly number[]): Promise<number>;
  countSaved(transaction: Transaction, run: DeliveredRun): Promise<number>;
}

/** The number of people in one chunk, and of candidates examined for them. */
const chunkMax = 500;
const candidatesMax = 5_000;

/**
 * Delivers people by ascending number, which never changes, so that a position is the last examined number; a run of
 * chosen people has their numbers as its position.
 */
export function createPeopleDelivery<Transaction>(
  indexOf: IndexOfAccount,
  readPreviews: PreviewPorts['readPreviews'],
  store: SavingStore<Transaction>,
): RunDelivery<Transaction> {
  async function measureChosen(
    accountId: AccountId,
    filters: PeopleFilters,
    chosen: readonly PersonId[],
  ): Promise<SearchExtent> {
    const page = { filters, after: 0, limit: limits.previewedPeopleMax };
    const [all, shown] = await Promise.all([
      indexOf(accountId).count({ filters }),
      indexOf(accountId).page(page),
    ]);
    const wanted = new Set(chosen);
    const previews = await readPreviews(accountId, shown.personNos);
    const ids = new Set(
      previews.flatMap(({ person_id, is_saved }) => (wanted.has(person_id) && !is_saved ? [person_id] : [])),
    );
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
    kind: 'people',
    price: prices.savedPerson,
    cause: 'start-discovery-run',
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

/** Returns the numbers of the chosen people; undefined if none were chosen. */
function numbersAt(position: string | undefined): number[] | undefined {
  return position?.startsWith(chosenPrefix)
    ? position.slice(chosenPrefix.length).split(',').map(Number)
    : undefined;
}

/** Parses the search's filters as they were accepted. */
export function filtersOf(query: unknown): PeopleFilters {
  return peopleFilters.parse(query);
}
