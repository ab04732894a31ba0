import { cancelRun } from '@mailproof/paid-runs';
import { createRunCredits } from '@mailproof/paid-runs/ledger';
import {
  createAccountReader,
  createFairTurns,
  createFollow,
  createServiceGuard,
  type OperationClient,
  type OutboxJob,
  outboxJob,
  type Recurring,
  type Route,
  startRecurring,
} from '@mailproof/service-kit';
import {
  type AccountId,
  addListEntries,
  beginPeopleSearch,
  cancelDiscoveryRun,
  changePeopleSearch,
  changeSavedList,
  chargePreviewJob,
  createSavedList,
  deletePeopleSearch,
  deleteSavedList,
  deliverRunJob,
  exportAccountProfiles,
  followDiscoveryRun,
  forgetAccountProfiles,
  forwarded,
  getDiscoveryRun,
  getPeopleSearch,
  getSavedPerson,
  listDiscoveryRuns,
  listListEntries,
  listPeopleOfSearch,
  listPeopleSearches,
  listSavedLists,
  listSavedPeople,
  type Operation,
  removeListEntries,
  removeSavedPeople,
  renamePeopleSearch,
  startDiscoveryRun,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createPreviewCredits } from '../adapters/peers/preview-credits.ts';
import { accountTables } from '../adapters/postgres/account-tables.ts';
import { createForgetRows } from '../adapters/postgres/forget-account.ts';
import { createReadPreviews } from '../adapters/postgres/people-previews.ts';
import { createPeopleSearches } from '../adapters/postgres/people-searches.ts';
import { createRunStarts } from '../adapters/postgres/run-starts.ts';
import { createRunStore, type Transaction } from '../adapters/postgres/run-store.ts';
import { createRunViews } from '../adapters/postgres/run-views.ts';
import { createSavedLists } from '../adapters/postgres/saved-lists.ts';
import { createSavedPeople } from '../adapters/postgres/saved-people.ts';
import { createSavingStore } from '../adapters/postgres/saving-store.ts';
import type { Config } from '../config.ts';
import { createDiscoveryWork } from '../domain/discovery/deliver-chunk.ts';
import { forgetAccount } from '../domain/discovery/forget-account.ts';
import { createPeopleDelivery } from '../domain/discovery/people-delivery.ts';
import type { PeopleSearchPorts } from '../domain/discovery/people-search.ts';
import type { RunDelivery } from '../domain/discovery/run-delivery.ts';
import { type RunRequest, type StartOutcome, startRun } from '../domain/discovery/start-run.ts';
import type { PeopleIndex } from '../domain/people-search/people-index.ts';
import type { Events } from '../events.ts';
import { addListEntriesRoute } from '../http/add-list-entries.ts';
import { beginPeopleSearchRoute } from '../http/begin-people-search.ts';
import { cancelDiscoveryRunRoute } from '../http/cancel-discovery-run.ts';
import { changePeopleSearchRoute } from '../http/change-people-search.ts';
import { changeSavedListRoute } from '../http/change-saved-list.ts';
import { createSavedListRoute } from '../http/create-saved-list.ts';
import { deletePeopleSearchRoute } from '../http/delete-people-search.ts';
import { deleteSavedListRoute } from '../http/delete-saved-list.ts';
import { exportAccountProfilesRoute } from '../http/export-account-profiles.ts';
import { followDiscoveryRunRoute } from '../http/follow-discovery-run.ts';
import { forgetAccountProfilesRoute } from '../http/forget-account-profiles.ts';
import { getDiscoveryRunRoute } from '../http/get-discovery-run.ts';
import { getPeopleSearchRoute } from '../http/get-people-search.ts';
import { getSavedPersonRoute } from '../http/get-saved-person.ts';
import { listDiscoveryRunsRoute } from '../http/list-discovery-runs.ts';
import { listListEntriesRoute } from '../http/list-list-entries.ts';
import { listPeopleOfSearchRoute } from '../http/list-people-of-search.ts';
import { listPeopleSearchesRoute } from '../http/list-people-searches.ts';
import { listSavedListsRoute } from '../http/list-saved-lists.ts';
import { listSavedPeopleRoute } from '../http/list-saved-people.ts';
import { removeListEntriesRoute } from '../http/remove-list-entries.ts';
import { removeSavedPeopleRoute } from '../http/remove-saved-people.ts';
import { renamePeopleSearchRoute } from '../http/rename-people-search.ts';
import { startDiscoveryRunRoute } from '../http/start-discovery-run.ts';
import { chargePreviewHandler } from '../workers/charge-preview.ts';
import { deliverRunHandler } from '../workers/deliver-run.ts';
import { isAway } from './is-away.ts';

export interface DiscoveryOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly ledgerPeer: OperationClient;
  readonly peopleIndex: Pick<PeopleIndex, 'count' | 'page'>;
  /** How kinds of search besides people deliver. */
  readonly deliveries?: readonly RunDelivery<Transaction>[];
  readonly events: Events;
  readonly now: () => Date;
}

/** People searches, runs of both kinds, saved people and lists. */
export interface Discovery {
  readonly routes: readonly Route[];
  readonly jobs: readonly OutboxJob[];
  /** Starts a run of either kind. */
  readonly startRun: (request: RunRequest) => Promise<StartOutcome>;
  start(): void;
  /** Ends what clients follow, so that the service can stop. */
  markStopping(): void;
  close(): Promise<void>;
}

const ledgerDeadlineMs = 5_000;
/** Runs that one process works on at once, and chunks that it delivers at the same moment. */
const runsAtOnceMax = 100;
const chunksAtOnceMax = 4;
const previewsAtOnceMax = 4;
/** A run without a job that has not moved for so long gets one again; looked for at this interval. In milliseconds. */
const stillMs = 30_000;
const sweepEveryMs = 15_000;

export function composeDiscovery(options: DiscoveryOptions): Discovery {
  const { pool, ledgerPeer, peopleIndex, events, now } = options;
  const stopping = new AbortController();
  const runs = createRunStore(pool);
  const saving = createSavingStore(pool);
  const credits = createRunCredits(ledgerPeer, ledgerDeadlineMs);
  const deliveries = [createPeopleDelivery(peopleIndex, saving), ...(options.deliveries ?? [])];
  const deliveryOf = (kind: RunRequest['kind']) => {
    const delivery = deliveries.find(each => each.kind === kind);
    if (!delivery) {
      throw new Error(`Nobody delivers ${kind}.`);
    }
    return delivery;
  };
  const ports = {
    runs,
    credits,
    events,
    now,
    deliveryOf,
    work: createDiscoveryWork({ runs, deliveryOf, now }),
    starts: createRunStarts(pool),
    enqueue: runs.enqueue,
    findUnderWay: runs.findUnderWay,
    forgetRows: createForgetRows(pool),
  };
  const turns = createFairTurns(chunksAtOnceMax, 1, 'deliver chunk');
  const start = (request: RunRequest) => startRun(ports, request);
  let sweep: Recurring | undefined;
  return {
    startRun: start,
    routes: [
      ...searchRoutes(options, credits, saving),
      ...runRoutes(options, { start, ports, stopping: stopping.signal }),
      ...savedRoutes(options),
    ],
    jobs: [
      outboxJob(
        deliverRunJob,
        runsAtOnceMax,
        deliverRunHandler({
          ports,
          inTurn: (run, step) => turns.take(run.accountId, step),
          isAway,
          stopping: stopping.signal,
        }),
      ),
      outboxJob(chargePreviewJob, previewsAtOnceMax, chargePreviewHandler(credits, events.previewUnpaid)),
    ],
    start() {
      sweep = startRecurring({
        everyMs: sweepEveryMs,
        async work() {
          const swept = await runs.sweep(stillMs);
          if (swept > 0) {
            events.runsSwept(swept);
          }
        },
        onFailed: events.runSweepFailed,
      });
    },
    markStopping: () => stopping.abort(),
    async close() {
      stopping.abort();
      await sweep?.close();
    },
  };
}

/** Lets the gateway in, for an application operation that it forwards. */
function guardFor({ config }: DiscoveryOptions) {
  const guardOf = createServiceGuard('enrichment', config.SERVICE_PEER_KEYS);
  return (operation: Operation) => guardOf(forwarded(operation));
}

function searchRoutes(
  options: DiscoveryOptions,
  credits: ReturnType<typeof createRunCredits>,
  saving: ReturnType<typeof createSavingStore>,
): Route[] {
  const { pool, peopleIndex, ledgerPeer } = options;
  const guard = guardFor(options);
  const searches = createPeopleSearches(pool);
  const ports: PeopleSearchPorts = {
    index: peopleIndex,
    searches,
    credits: createPreviewCredits(ledgerPeer, credits, ledgerDeadlineMs),
    savedNumbers: saving.savedNumbers,
    readPreviews: createReadPreviews(pool),
  };
  return [
    beginPeopleSearchRoute(guard(beginPeopleSearch), ports),
    listPeopleSearchesRoute(guard(listPeopleSearches), searches.list),
    getPeopleSearchRoute(guard(getPeopleSearch), ports),
    deletePeopleSearchRoute(guard(deletePeopleSearch), searches.delete),
    changePeopleSearchRoute(guard(changePeopleSearch), ports),
    renamePeopleSearchRoute(guard(renamePeopleSearch), searches.rename),
    listPeopleOfSearchRoute(guard(listPeopleOfSearch), ports),
  ];
}

function runRoutes(
  options: DiscoveryOptions,
  {
    start,
    ports,
    stopping,
  }: {
    readonly start: Discovery['startRun'];
    readonly ports: Parameters<typeof forgetAccount<Transaction>>[0];
    readonly stopping: AbortSignal;
  },
): Route[] {
  const { pool, config, now, events } = options;
  const guard = guardFor(options);
  const shareGuard = createServiceGuard('enrichment', config.SERVICE_PEER_KEYS);
  const views = createRunViews(pool);
  const forget = async (accountId: AccountId) => {
    const outcome = await forgetAccount(ports, accountId);
    events.accountForgotten(accountId, outcome.deleted);
    return outcome;
  };
  return [
    startDiscoveryRunRoute(guard(startDiscoveryRun), start),
    listDiscoveryRunsRoute(guard(listDiscoveryRuns), views.list),
    getDiscoveryRunRoute(guard(getDiscoveryRun), views.find),
    cancelDiscoveryRunRoute(guard(cancelDiscoveryRun), (accountId, runId) =>
      cancelRun(ports, accountId, runId),
    ),
    followDiscoveryRunRoute(guard(followDiscoveryRun), views.find, createFollow({ stopping, now })),
    exportAccountProfilesRoute(shareGuard(exportAccountProfiles), createAccountReader(pool, accountTables)),
    forgetAccountProfilesRoute(shareGuard(forgetAccountProfiles), forget),
  ];
}

function savedRoutes(options: DiscoveryOptions): Route[] {
  const guard = guardFor(options);
  const people = createSavedPeople(options.pool);
  const lists = createSavedLists(options.pool);
  return [
    listSavedPeopleRoute(guard(listSavedPeople), people, lists),
    removeSavedPeopleRoute(guard(removeSavedPeople), people),
    getSavedPersonRoute(guard(getSavedPerson), people),
    createSavedListRoute(guard(createSavedList), lists),
    listSavedListsRoute(guard(listSavedLists), lists),
    changeSavedListRoute(guard(changeSavedList), lists),
    deleteSavedListRoute(guard(deleteSavedList), lists),
    listListEntriesRoute(guard(listListEntries), people, lists),
    addListEntriesRoute(guard(addListEntries), lists),
    removeListEntriesRoute(guard(removeListEntries), lists),
  ];
}
