import { openPostgres } from '@mailproof/service-kit/postgres';
import type { Pool } from 'pg';
import { lastChangeNo } from '../adapters/people-index/follow-store.ts';
import type { RunningPeopleIndex } from '../adapters/people-index/start-people-index.ts';
import { createEnginePeopleIndex } from '../adapters/search-engine/engine-people-index.ts';
import { buildPeople, type FeedOptions, readEngineStatus } from '../adapters/search-engine/feed-people.ts';
import { openEngine } from '../adapters/search-engine/open-engine.ts';
import { engineNames } from '../adapters/search-engine/people-mapping.ts';
import type { Config, OperatorConfig } from '../config.ts';
import { removalDays } from '../domain/privacy/subjects.ts';
import type { Events } from '../events.ts';

export { createEnginePeopleIndex } from '../adapters/search-engine/engine-people-index.ts';
export { openEngine } from '../adapters/search-engine/open-engine.ts';

/** One connection holds the right to feed, one the right to fill, and one reads. */
const connectionsMax = 3;

/** Composes people search in a search engine. It is loaded only where `SEARCH_ENGINE_URL` is set. */
export function openSearchEngineIndex(config: Config, url: string, events: Events): RunningPeopleIndex {
  return createEnginePeopleIndex({
    engine: engineAt(config, url),
    prefix: config.SEARCH_ENGINE_PREFIX,
    shards: config.SEARCH_ENGINE_SHARDS,
    pool: openFeedDatabase(config.DATABASE_URL, events.databaseConnectionLost),
    refreshIntervalMs: config.PEOPLE_INDEX_REFRESH_MS,
    removalDays,
    events,
  });
}

/**
 * Fills a new index while the current one is searched, and puts it in its place; continues an interrupted rebuild.
 * Returns the number of people; undefined if another process is filling an index.
 */
export async function rebuildSearchEngineIndex(
  config: OperatorConfig,
  url: string,
  onProgress: (people: number, peopleExpected: number) => void,
  signal: AbortSignal,
): Promise<number | undefined> {
  const engine = engineAt(config, url);
  const pool = openFeedDatabase(config.DATABASE_URL, () => undefined);
  const options: FeedOptions = {
    ...{ engine, pool, signal, removalDays },
    names: engineNames(config.SEARCH_ENGINE_PREFIX),
    shards: config.SEARCH_ENGINE_SHARDS,
  };
  try {
    return await buildPeople(options, onProgress);
  } finally {
    await pool.end();
    await engine.close();
  }
}

/** Returns the state of the index, and the number of changes of the store that it does not have yet. */
export async function readSearchEngineStatus(config: OperatorConfig, url: string, pool: Pool) {
  const engine = engineAt(config, url);
  try {
    const status = await readEngineStatus(engine, engineNames(config.SEARCH_ENGINE_PREFIX));
    const readUpTo = status.state === 'ready' ? status.readUpTo : 0;
    return { status, changesWaiting: (await lastChangeNo(pool)) - readUpTo };
  } finally {
    await engine.close();
  }
}

function engineAt(config: OperatorConfig, url: string) {
  return openEngine({
    url,
    user: config.SEARCH_ENGINE_USER,
    password: config.SEARCH_ENGINE_PASSWORD,
    ca: config.SEARCH_ENGINE_CA_FILE,
  });
}

function openFeedDatabase(databaseUrl: string, onIdleError: (error: Error) => void): Pool {
  return openPostgres({
    connectionString: databaseUrl,
    schema: 'enrichment',
    applicationName: 'mailproof-enrichment-people-feed',
    connectionsMax,
    onIdleError,
  });
}
