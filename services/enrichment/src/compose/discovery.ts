import { cancelRun, withSandboxCredits } from '@mailproof/durable-work';
import { createRunCredits } from '@mailproof/durable-work/ledger';
import { startSweep } from '@mailproof/durable-work/postgres';
import {
  accountExportHandler,
  createFairTurns,
  createFollow,
  createForgetAccount,
  type Handlers,
  isUnavailable as isDependencyUnavailable,
  type OperationClient,
  type Recurring,
  takeEventsHandler,
} from '@mailproof/service-kit';
import { type OutboxJob, outboxJob } from '@mailproof/service-kit/jobs';
import { chargePreviewJob, deliverRunJob, prices } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createPreviewCredits } from '../adapters/peers/preview-credits.ts';
import { accountTables } from '../adapters/postgres/account-tables.ts';
import { createExportedCompanies, createExportedPeople } from '../adapters/postgres/exported-rows.ts';
import { createFilterSearches } from '../adapters/postgres/filter-searches.ts';
import {
  createRunStarts,
  createRunStore,
  createRunViews,
  type Transaction,
} from '../adapters/postgres/run-store.ts';
import { createCompanySaving, createReadFoundCompanies } from '../adapters/postgres/saved-companies.ts';
import { createSavedLists } from '../adapters/postgres/saved-lists.ts';
import {
  createPeopleSaving,
  createReadPreviews,
  createSavedPeople,
} from '../adapters/postgres/saved-people.ts';
import type { Config } from '../config.ts';
import { createFilterDelivery } from '../domain/discovery/filter-delivery.ts';
import { createDiscoveryWork, forgetAccount, type RunDelivery } from '../domain/discovery/run.ts';
import { type RunRequest, type StartOutcome, startRun } from '../domain/discovery/start-run.ts';
import { LookalikeFault } from '../domain/lookalike/lookalike-ranking.ts';
import { type IndexOfAccount, PeopleIndexUnavailable } from '../domain/people-search/people-index.ts';
import type { Events } from '../events.ts';
import { discoveryRunHandlers } from '../http/discovery-runs.ts';
import type { ExportedRows } from '../http/exported-rows.ts';
import { companySearchHandlers, peopleSearchHandlers } from '../http/filter-searches.ts';
import { savedListHandlers } from '../http/saved-lists.ts';
import { savedPeopleHandlers } from '../http/saved-people.ts';
import { chargePreviewHandler, deliverRunHandler } from '../workers/discovery-work.ts';

interface DiscoveryOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly ledgerPeer: OperationClient;
  readonly indexOf: IndexOfAccount;
  readonly companyIndexOf: IndexOfAccount;
  /** The deliveries of searches that are not by filters. */
  readonly deliveries?: readonly RunDelivery<Transaction>[];
  readonly events: Events;
  readonly now: () => Date;
}

/** The parts for searches by filters, runs of all kinds, saved people and lists. */
interface Discovery {
  readonly handlers: ReturnType<typeof searchHandlers> &
    ReturnType<typeof runHandlers> &
    ReturnType<typeof savedHandlers>;
  readonly jobs: readonly OutboxJob[];
  start(): void;
  /** Ends the event streams of clients, so that the service can stop. */
  markStopping(): void;
  close(): Promise<void>;
}

const ledgerDeadlineMs = 5_000;
/** The maximum number of runs that one process works on at once, and of chunks that it delivers concurrently. */
const runsAtOnceMax = 100;
const chunksAtOnceMax = 4;
const previewsAtOnceMax = 4;

export function composeDiscovery(options: DiscoveryOptions): Discovery {
  const { pool, ledgerPeer, indexOf, companyIndexOf, events, now } = options;
  const stopping = new AbortController();
  const runs = createRunStore(pool);
  const credits = withSandboxCredits(createRunCredits(ledgerPeer, ledgerDeadlineMs), now);
  const readPeople = createReadPreviews(pool);
  const readCompanies = createReadFoundCompanies(pool);
  const deliveries = [
    createFilterDelivery({
      kind: 'people',
      price: prices.savedPerson,
      cause: 'start-discovery-run',
      indexOf,
      async readPreviews(...of) {
        return (await readPeople(...of)).map(each => ({ id: each.person_id, isSaved: each.is_saved }));
      },
      store: createPeopleSaving(pool),
    }),
    createFilterDelivery({
      kind: 'companies',
      price: prices.savedCompany,
      cause: 'start-company-run',
      indexOf: companyIndexOf,
      async readPreviews(...of) {
        return (await readCompanies(...of)).map(each => ({ id: each.company_id, isSaved: each.is_saved }));
      },
      store: createCompanySaving(pool),
    }),
    ...(options.deliveries ?? []),
  ];
  const deliveryOf = (kind: RunRequest['kind']) => {
    const delivery = deliveries.find(each => each.kind === kind);
    if (!delivery) {
      throw new Error(`No service delivers ${kind}.`);
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
    findActive: runs.findActive,
    forgetRows: createForgetAccount(pool, accountTables),
  };
  const turns = createFairTurns(chunksAtOnceMax, 1, 'deliver chunk');
  const start = (request: RunRequest) => startRun(ports, request);
  let sweep: Recurring | undefined;
  return {
    handlers: {
      ...searchHandlers(options, credits),
      ...runHandlers(options, { start, ports, stopping: stopping.signal }),
      ...savedHandlers(options),
    },
    jobs: [
      outboxJob(
        deliverRunJob,
        runsAtOnceMax,
        deliverRunHandler({
          ports,
          inTurn: (run, step) => turns.take(run.accountId, step),
          isUnavailable,
          stopping: stopping.signal,
        }),
      ),
      outboxJob(chargePreviewJob, previewsAtOnceMax, chargePreviewHandler(credits, events.previewUnpaid)),
    ],
    start() {
      sweep = startSweep({ store: runs, now, told: events.runsSwept, onFailed: events.runSweepFailed });
    },
    markStopping: () => stopping.abort(),
    async close() {
      stopping.abort();
      await sweep?.close();
    },
  };
}

function searchHandlers(
  { pool, indexOf, companyIndexOf, ledgerPeer }: DiscoveryOptions,
  credits: ReturnType<typeof createRunCredits>,
) {
  const previewCredits = createPreviewCredits(ledgerPeer, credits, ledgerDeadlineMs);
  const people = createFilterSearches(pool, 'people');
  const companies = createFilterSearches(pool, 'companies');
  return {
    ...peopleSearchHandlers(
      {
        indexOf,
        searches: people,
        credits: previewCredits,
        causes: { begin: 'begin-people-search', change: 'change-people-search' },
        savedNumbers: createPeopleSaving(pool).savedNumbers,
        readPreviews: createReadPreviews(pool),
      },
      people,
    ),
    ...companySearchHandlers(
      {
        indexOf: companyIndexOf,
        searches: companies,
        credits: previewCredits,
        causes: { begin: 'begin-company-search', change: 'change-company-search' },
        savedNumbers: createCompanySaving(pool).savedNumbers,
        readPreviews: createReadFoundCompanies(pool),
      },
      companies,
    ),
  };
}

function runHandlers(
  { pool, now, events }: DiscoveryOptions,
  {
    start,
    ports,
    stopping,
  }: {
    readonly start: (request: RunRequest) => Promise<StartOutcome>;
    readonly ports: Parameters<typeof forgetAccount<Transaction>>[0];
    readonly stopping: AbortSignal;
  },
) {
  return {
    ...discoveryRunHandlers({
      start,
      views: createRunViews(pool),
      cancel: (accountId, runId) => cancelRun(ports, accountId, runId),
      follow: createFollow({ stopping, now }),
    }),
    takeProfilesEvents: takeEventsHandler(pool, stopping),
    exportAccountProfiles: accountExportHandler(pool, accountTables),
    async forgetAccountProfiles({ body: { accountId } }) {
      const outcome = await forgetAccount(ports, accountId);
      events.accountForgotten(accountId, outcome.deleted);
      return outcome;
    },
  } satisfies Partial<Handlers<'enrichment'>>;
}

function savedHandlers({ pool }: DiscoveryOptions) {
  const people = createSavedPeople(pool);
  const lists = createSavedLists(pool);
  return { ...savedPeopleHandlers(people, lists), ...savedListHandlers(lists, people) };
}

/** Composes saved people and companies for exports by the webhook dispatcher. */
export function composeExportedRows(pool: Pool): ExportedRows {
  const people = createExportedPeople(pool);
  const companies = createExportedCompanies(pool);
  return {
    list: (accountId, source, after) =>
      source.kind === 'saved_people'
        ? people.list(accountId, source, after)
        : companies.list(accountId, source, after),
    read: (accountId, source, keys) =>
      source.kind === 'saved_people'
        ? people.read(accountId, source, keys)
        : companies.read(accountId, source, keys),
  };
}

/** Whether a dependency of runs is unavailable, so that waiting for it makes sense. */
function isUnavailable(error: unknown): boolean {
  return (
    error instanceof PeopleIndexUnavailable ||
    error instanceof LookalikeFault ||
    isDependencyUnavailable(error)
  );
}
