import {
  type AccountId,
  isSandboxAccount,
  type PeopleFilters,
  peopleFilters,
  prices,
} from '@mailproof/shared-types';
import type { IndexOfAccount } from '../people-search/people-index.ts';
import { simulateErrorOf } from '../sandbox/simulated-errors.ts';
import type { DeliveredRun, RunDelivery } from './run.ts';

/** The store operations that a chunk of a people run needs. */
export interface SavingStore<Transaction> {
  /** Returns the numbers of the people that the account has saved, ascending. */
  savedNumbers(accountId: AccountId): Promise<Int32Array>;
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

/** Delivers people by ascending number, which never changes, so that a position is the last examined number. */
export function createPeopleDelivery<Transaction>(
  indexOf: IndexOfAccount,
  store: SavingStore<Transaction>,
): RunDelivery<Transaction> {
  return {
    kind: 'people',
    price: prices.savedPerson,
    cause: 'start-discovery-run',
    chunkMax,
    async measure({ accountId, query }) {
      const filters = filtersOf(query);
      if (isSandboxAccount(accountId)) simulateErrorOf(filters, 'run');
      const index = indexOf(accountId);
      const skip = await store.savedNumbers(accountId);
      const [all, unsaved] = await Promise.all([index.count({ filters }), index.count({ filters, skip })]);
      return { matching: all.total, deliverable: unsaved.total };
    },
    async findNext({ run, position, wanted }) {
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

/** Parses the search's filters as they were accepted. */
export function filtersOf(query: unknown): PeopleFilters {
  return peopleFilters.parse(query);
}
