import { type AccountId, type PeopleFilters, peopleFilters, prices } from '@mailproof/shared-types';
import type { PeopleIndex } from '../people-search/people-index.ts';
import type { DeliveredRun, RunDelivery } from './run-delivery.ts';

/** What a chunk of a people run needs of the store. */
export interface SavingStore<Transaction> {
  /** Numbers of the people whom the account has saved, ascending. */
  savedNumbers(accountId: AccountId): Promise<Int32Array>;
  /** Those of the numbers whom the account has not saved, ascending. */
  unsavedOf(accountId: AccountId, personNos: readonly number[]): Promise<number[]>;
  /**
   * Saves people who are in the store and not saved, also into the run's list, and answers how many. Who was suppressed
   * is not in the store.
   */
  save(transaction: Transaction, run: DeliveredRun, personNos: readonly number[]): Promise<number>;
  countSaved(transaction: Transaction, run: DeliveredRun): Promise<number>;
}

/** People of one chunk, and numbers that are looked through for them. */
const chunkMax = 500;
const candidatesMax = 5_000;

/** Delivers people: by ascending number, which never changes, so that a position is the last number that was looked at. */
export function createPeopleDelivery<Transaction>(
  index: Pick<PeopleIndex, 'count' | 'page'>,
  store: SavingStore<Transaction>,
): RunDelivery<Transaction> {
  return {
    kind: 'people',
    price: prices.savedPerson,
    cause: 'start-discovery-run',
    chunkMax,
    async measure({ accountId, query }) {
      const filters = filtersOf(query);
      const skip = await store.savedNumbers(accountId);
      const [all, unsaved] = await Promise.all([index.count({ filters }), index.count({ filters, skip })]);
      return { matching: all.total, deliverable: unsaved.total };
    },
    async findNext({ run, position, wanted }) {
      const after = Number(position ?? 0);
      const page = await index.page({ filters: filtersOf(run.query), after, limit: candidatesMax });
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

/** The search's own filters, as they were accepted. */
export function filtersOf(query: unknown): PeopleFilters {
  return peopleFilters.parse(query);
}
