import { type Advisory, observeGauges } from '@mailproof/service-kit';
import { isSandboxAccount } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { lastChangeNo } from '../adapters/people-index/follow-store.ts';
import { createSandboxIndex } from '../adapters/people-index/sandbox-index.ts';
import { createPeopleIndex } from '../adapters/people-index/start-people-index.ts';
import { createCompanyRows } from '../adapters/postgres/company-rows.ts';
import { createReadListCompanies, createReadListMembers } from '../adapters/postgres/saved-lists.ts';
import type { Config } from '../config.ts';
import type { IndexOfAccount, PeopleIndex, PeopleIndexStatus } from '../domain/people-search/people-index.ts';
import { withSavedLists } from '../domain/people-search/saved-lists.ts';
import { sandboxCompanies } from '../domain/sandbox/sandbox-records.ts';
import type { Events } from '../events.ts';
import { peopleIndexHandlers } from '../http/people-index.ts';

export { createPeopleIndex, type RunningPeopleIndex } from '../adapters/people-index/start-people-index.ts';

export interface PeopleSearchOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly events: Events;
  readonly now: () => Date;
}

export interface PeopleSearch {
  readonly indexOf: IndexOfAccount;
  /** Companies, in memory also where people are in a search engine (ADR 0097). */
  readonly companyIndexOf: IndexOfAccount;
  readonly handlers: ReturnType<typeof peopleIndexHandlers>;
  /** The index's state shown to operators in readiness; it never makes the service unready (ADR 0029). */
  advisories(): readonly Advisory[];
  start(): void;
  close(): Promise<void>;
}

const exampleSeedsMax = 3;

/** How many rounds may be missed before operators are told that the index lags behind. */
const roundsMissingMax = 30;

export async function composePeopleSearch({
  config,
  pool,
  events,
  now,
}: PeopleSearchOptions): Promise<PeopleSearch> {
  const engineUrl = config.SEARCH_ENGINE_URL;
  const index =
    engineUrl === undefined
      ? createPeopleIndex({
          databaseUrl: config.DATABASE_URL,
          peopleMax: config.PEOPLE_INDEX_PEOPLE_MAX,
          refreshIntervalMs: config.PEOPLE_INDEX_REFRESH_MS,
          events,
        })
      : (await import('./search-engine.ts')).openSearchEngineIndex(config, engineUrl, events);
  const companyIndex = createPeopleIndex({
    records: 'companies',
    databaseUrl: config.DATABASE_URL,
    peopleMax: config.PEOPLE_INDEX_PEOPLE_MAX,
    refreshIntervalMs: config.PEOPLE_INDEX_REFRESH_MS,
    events,
  });
  const lasts = [index, companyIndex].map(each => lastOf(each, now()));
  const gauges = [
    observeGauges([{ name: 'mailproof.people_index.lag', description: lagDescription, unit: 's' }], () => [
      [[Math.max(...lasts.map(read => now().getTime() - read().refreshedAt.getTime())) / 1_000, {}]],
    ]),
    observeGauges(
      [{ name: 'mailproof.people_index.changes_waiting', description: waitingDescription }],
      async () => {
        // In this order: a change between the two is not negative.
        const readUpTo = Math.min(...lasts.map(read => read().readUpTo));
        return [[[(await lastChangeNo(pool)) - readUpTo, {}]]];
      },
    ),
  ];
  const lagMsMax = Math.max(config.PEOPLE_INDEX_REFRESH_MS * roundsMissingMax, 60_000);
  const sandbox = createSandboxIndex();
  const indexOf = withSavedLists(
    accountId => (isSandboxAccount(accountId) ? sandbox : index),
    createReadListMembers(pool),
  );
  const sandboxCompanyIndex = createSandboxIndex('companies');
  const companyIndexOf = withSavedLists(
    accountId => (isSandboxAccount(accountId) ? sandboxCompanyIndex : companyIndex),
    createReadListCompanies(pool),
  );
  const companies = createCompanyRows(pool);
  return {
    indexOf,
    companyIndexOf,
    handlers: peopleIndexHandlers(indexOf, async accountId =>
      isSandboxAccount(accountId)
        ? sandboxCompanies.slice(0, exampleSeedsMax)
        : companies.examples(exampleSeedsMax),
    ),
    advisories: () => [
      advisoryOf('people', index.status(), now(), lagMsMax),
      advisoryOf('companies', companyIndex.status(), now(), lagMsMax),
    ],
    start() {
      index.start();
      companyIndex.start();
    },
    async close() {
      for (const gauge of gauges) {
        gauge.close();
      }
      await Promise.all([index.close(), companyIndex.close()]);
    },
  };
}

const lagDescription =
  'How far people or company search is behind the store, the larger of both; since the start while it loads.';
const waitingDescription =
  'Changes of people and companies that people or company search does not have yet; all that there ever were while it loads.';

/** Reads what an index last had: it keeps it while a search engine does not answer. */
function lastOf(index: Pick<PeopleIndex, 'status'>, startedAt: Date) {
  let last = { refreshedAt: startedAt, readUpTo: 0 };
  return () => {
    const status = index.status();
    last = status.state === 'ready' ? status : last;
    return last;
  };
}

function advisoryOf(
  records: 'people' | 'companies',
  status: PeopleIndexStatus,
  now: Date,
  lagMsMax: number,
): Advisory {
  const about = { name: `${records}-index`, seenAt: now.toISOString() };
  if (status.state === 'failed') {
    return { ...about, status: 'failed', text: `The search is unavailable: ${status.reason}.` };
  }
  if (status.state === 'loading') {
    const text = `Loading: ${status.people} of ${status.peopleExpected} ${records}. The search is available once this is done.`;
    return { ...about, status: 'warning', text };
  }
  const lagMs = now.getTime() - status.refreshedAt.getTime();
  const where =
    status.bytes === undefined
      ? 'in the search engine'
      : `in ${Math.ceil(status.bytes / 1_000_000)} MB of columns`;
  const text = `${status.people} ${records} ${where}, ${lagMs} ms behind the store.`;
  if (status.isFull) {
    return {
      ...about,
      status: 'warning',
      text: `${text} Full: raise PEOPLE_INDEX_PEOPLE_MAX to find all ${records}.`,
    };
  }
  return { ...about, status: lagMs > lagMsMax ? 'warning' : 'ok', text };
}
