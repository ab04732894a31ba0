import type { Advisory, Guard, Route } from '@mailproof/service-kit';
import { countPeople, forwarded, getSearchVocabulary, type Operation } from '@mailproof/shared-types';
import { createPeopleIndex } from '../adapters/people-index/start-people-index.ts';
import type { Config } from '../config.ts';
import type { PeopleIndex, PeopleIndexStatus } from '../domain/people-search/people-index.ts';
import type { Events } from '../events.ts';
import { countPeopleRoute } from '../http/count-people.ts';
import { getSearchVocabularyRoute } from '../http/get-search-vocabulary.ts';

export { createPeopleIndex, type RunningPeopleIndex } from '../adapters/people-index/start-people-index.ts';

export interface PeopleSearchOptions {
  readonly config: Config;
  readonly events: Events;
  readonly now: () => Date;
  readonly guardOf: (operation: Operation) => Guard<unknown>;
}

export interface PeopleSearch {
  readonly index: PeopleIndex;
  readonly routes: readonly Route[];
  /** What operators see of the index in readiness; it never keeps the service from being ready (ADR 0029). */
  advisories(): readonly Advisory[];
  start(): void;
  close(): Promise<void>;
}

/** Rounds that may be missing before operators are told that the index lags behind. */
const roundsMissingMax = 30;

export function composePeopleSearch({ config, events, now, guardOf }: PeopleSearchOptions): PeopleSearch {
  const index = createPeopleIndex({
    databaseUrl: config.DATABASE_URL,
    peopleMax: config.PEOPLE_INDEX_PEOPLE_MAX,
    refreshIntervalMs: config.PEOPLE_INDEX_REFRESH_MS,
    events,
  });
  const lagMsMax = Math.max(config.PEOPLE_INDEX_REFRESH_MS * roundsMissingMax, 60_000);
  return {
    index,
    routes: [
      countPeopleRoute(guardOf(forwarded(countPeople)), index),
      getSearchVocabularyRoute(guardOf(forwarded(getSearchVocabulary)), index),
    ],
    advisories: () => [advisoryOf(index.status(), now(), lagMsMax)],
    start: index.start,
    close: index.close,
  };
}

function advisoryOf(status: PeopleIndexStatus, now: Date, lagMsMax: number): Advisory {
  const about = { name: 'people-index', seenAt: now.toISOString() };
  if (status.state === 'failed') {
    return { ...about, status: 'failed', text: `No search is answered: ${status.reason}.` };
  }
  if (status.state === 'loading') {
    const text = `Loading: ${status.people} of ${status.peopleExpected} people. Searches are answered once it is done.`;
    return { ...about, status: 'warning', text };
  }
  const lagMs = now.getTime() - status.refreshedAt.getTime();
  const text = `${status.people} people in ${Math.ceil(status.bytes / 1_000_000)} MB of columns, ${lagMs} ms behind the store.`;
  if (status.isFull) {
    return {
      ...about,
      status: 'warning',
      text: `${text} Full: raise PEOPLE_INDEX_PEOPLE_MAX to find everybody.`,
    };
  }
  return { ...about, status: lagMs > lagMsMax ? 'warning' : 'ok', text };
}
