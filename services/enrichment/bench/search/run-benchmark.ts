import { setTimeout } from 'node:timers/promises';
import { measureCalls, startBenchDatabase } from '@mailproof/dev-house/bench';
import { openPostgres } from '@mailproof/service-kit';
import { companySearchFilters, type PeopleFilters } from '@mailproof/shared-types';
import pg from 'pg';
import { createPeopleIndex, type RunningPeopleIndex } from '../../src/compose/people-search.ts';
import { seededRandom } from '../../src/fixtures/seeded-random.ts';
import { compareSearches } from './compare-searches.ts';
import { fillStore, insertPeople } from './fill-store.ts';
import type { BenchOptions } from './options.ts';
import { helpfulIndexes, readWording, searchBySql, type Wording } from './plain-sql.ts';
import { type KindReport, percentiles, type Report } from './report.ts';
import { type Stock, searchKinds } from './searches.ts';
import { startEngineIndex } from './start-engine-index.ts';

const pagePeople = 100;
const refreshIntervalMs = 1_000;
const changedAtOnce = 20;
const changePauseMs = 100;
const lagTries = 10;
const givesUpMs = 60_000;

interface Bench {
  readonly options: BenchOptions;
  readonly index: RunningPeopleIndex;
  readonly pool: pg.Pool;
  readonly signal: AbortSignal;
  readonly report: Report;
  readonly tell: (line: string) => void;
}

/** Fills a store, loads the index and measures both; adds results to `report` as they are measured. */
export async function runBenchmark(
  options: BenchOptions,
  report: Report,
  tell: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const stops: (() => Promise<void>)[] = [];
  try {
    const database = await startBenchDatabase('enrichment', { isDurable: false, signal });
    stops.push(() => database.stop());
    const pool = openPostgres({
      connectionString: database.databaseUrl,
      schema: 'enrichment',
      applicationName: 'bench-search',
      connectionsMax: 4,
      onIdleError: () => undefined,
    });
    stops.push(() => pool.end());
    const filledAtMs = performance.now();
    await fillStore(pool, options, signal);
    report.fillSeconds = (performance.now() - filledAtMs) / 1_000;
    tell(`${options.people} people of ${options.companies} companies are in the store`);
    const { compare } = options;
    if (compare !== undefined) {
      const memory = await loadIndex(options, database.databaseUrl, report, signal);
      stops.push(() => memory.close());
      const engine = await startEngineIndex(
        ...([options, database.databaseUrl, report, refreshIntervalMs, signal, stops] as const),
      );
      stops.push(() => engine.close());
      tell(`both indices are loaded, the search engine after ${report.load?.seconds.toFixed(1)} s`);
      await compareSearches({
        ...{ options: { ...options, compare }, memory, engine, pool, ownerUrl: database.ownerUrl },
        ...{ stock: () => stockOf(memory, pool), signal, report, tell },
      });
      return;
    }
    const index = options.searchEngine
      ? await startEngineIndex(options, database.databaseUrl, report, refreshIntervalMs, signal, stops)
      : await loadIndex(options, database.databaseUrl, report, signal);
    stops.push(() => index.close());
    tell(`the index is loaded after ${report.load?.seconds.toFixed(1)} s`);
    const bench: Bench = { options, index, pool, signal, report, tell };
    const stock = await stockOf(index, pool);
    const sql = options.sqlSearches > 0 ? await openSql(database.ownerUrl, tell) : undefined;
    stops.push(async () => sql?.client.end());
    await measureKinds(bench, stock, sql);
    if (!options.ofCompanies) {
      await measureMixed(bench, stock);
      await measureLag(bench);
    }
  } finally {
    for (const stop of stops.reverse()) {
      await stop();
    }
  }
}

async function loadIndex(
  options: BenchOptions,
  databaseUrl: string,
  report: Report,
  signal: AbortSignal,
): Promise<RunningPeopleIndex> {
  global.gc?.();
  const rssBefore = process.memoryUsage().rss;
  const cpuBefore = process.cpuUsage();
  const fail = (error: Error): void => {
    report.failures.push(error.message);
  };
  const loaded = Promise.withResolvers<number>();
  const index = createPeopleIndex({
    records: options.ofCompanies ? 'companies' : 'people',
    databaseUrl,
    peopleMax: Math.max(options.people, options.companies) * 2,
    refreshIntervalMs,
    events: {
      peopleIndexLoaded: (_people, durationMs) => loaded.resolve(durationMs),
      peopleIndexCrashed: fail,
      peopleIndexReadFailed: fail,
      peopleIndexFull: () => fail(new Error('The index is full.')),
    },
  });
  const givesUp = () => loaded.reject(signal.reason);
  signal.addEventListener('abort', givesUp, { once: true });
  try {
    index.start();
    const seconds = (await loaded.promise) / 1_000;
    const status = index.status();
    const { user, system } = process.cpuUsage(cpuBefore);
    report.load = {
      seconds,
      cpuSeconds: (user + system) / 1e6,
      columnsMb: (status.state === 'ready' ? (status.bytes ?? 0) : 0) / 1e6,
      processMb: (process.memoryUsage().rss - rssBefore) / 1e6,
    };
    return index;
  } catch (error) {
    await index.close();
    throw error;
  } finally {
    signal.removeEventListener('abort', givesUp);
  }
}

async function stockOf(index: RunningPeopleIndex, pool: pg.Pool): Promise<Stock> {
  const { facets } = await index.count({ filters: {}, facets: true });
  const values = (name: keyof NonNullable<typeof facets>) =>
    facets?.[name].values.map(({ value }) => value) ?? [];
  const { rows } = await pool.query<{ name: string; domain: string }>(
    'SELECT name, domain FROM company ORDER BY company_no LIMIT 500',
  );
  return {
    titles: values('job_titles'),
    countries: values('countries'),
    regions: values('regions'),
    cities: values('cities'),
    industries: values('industries'),
    keywords: values('keywords'),
    names: rows.map(({ name }) => name),
    domains: rows.map(({ domain }) => domain),
  };
}

interface Sql {
  readonly client: pg.Client;
  readonly wording: Wording;
}

async function openSql(ownerUrl: string, tell: (line: string) => void): Promise<Sql> {
  const client = new pg.Client({
    connectionString: ownerUrl,
    options: '-c search_path=enrichment',
    statement_timeout: 120_000,
  });
  // For a connection that ends while idle, as when the benchmark is interrupted.
  client.on('error', () => undefined);
  await client.connect();
  for (const statement of [...helpfulIndexes, 'VACUUM (ANALYZE) person', 'VACUUM (ANALYZE) company']) {
    await client.query(statement);
  }
  tell('SQL has its indexes and statistics');
  return { client, wording: await readWording(client) };
}

/** Queries total and facets, and the first people. */
async function search(index: RunningPeopleIndex, filters: PeopleFilters): Promise<number> {
  const [{ total }] = await Promise.all([
    index.count({ filters, facets: true }),
    index.page({ filters, after: 0, limit: pagePeople }),
  ]);
  return total;
}

async function measureKinds(bench: Bench, stock: Stock, sql: Sql | undefined): Promise<void> {
  const { options, index, signal, report, tell } = bench;
  for (const [kind, [name, make]] of Object.entries(searchKinds).entries()) {
    const filtersOf = (turn: number) => make(stock, seededRandom(options.seed, kind, turn));
    if (options.ofCompanies && !companySearchFilters.safeParse(filtersOf(0)).success) {
      continue;
    }
    const indexMs: number[] = [];
    const sqlMs: number[] = [];
    let found = 0;
    let cpuMs = 0;
    for (let turn = 0; turn < options.searches; turn += 1) {
      signal.throwIfAborted();
      const startedAtMs = performance.now();
      const cpuBefore = process.cpuUsage();
      const total = await search(index, filtersOf(turn));
      indexMs.push(performance.now() - startedAtMs);
      const { user, system } = process.cpuUsage(cpuBefore);
      cpuMs += (user + system) / 1_000 / options.searches;
      found += total / options.searches;
      if (sql && turn < options.sqlSearches) {
        const sqlStartedAtMs = performance.now();
        const of = options.ofCompanies ? 'companies' : 'people';
        const sqlTotal = await searchBySql(sql.client, filtersOf(turn), sql.wording, of);
        sqlMs.push(performance.now() - sqlStartedAtMs);
        if (sqlTotal !== total) {
          report.failures.push(`${name}: ${total} by the index and ${sqlTotal} by SQL.`);
        }
      }
    }
    const measured: KindReport = {
      name,
      found,
      cpuMs,
      index: percentiles(indexMs),
      ...(sqlMs.length > 0 && { sql: percentiles(sqlMs) }),
    };
    report.kinds.push(measured);
    tell(
      `${name}: p95 ${measured.index.p95.toFixed(1)} ms, SQL p50 ${measured.sql?.p50.toFixed(0) ?? 'left out'}`,
    );
  }
}

/** Clients search repeatedly by all kinds in turn, while people are added and changed. */
async function measureMixed(bench: Bench, stock: Stock): Promise<void> {
  const { options, index, pool, signal, report, tell } = bench;
  const endsAtMs = performance.now() + options.seconds * 1_000;
  const kinds = Object.values(searchKinds);
  let changed = 0;
  let behindMsMax = 0;
  const isRunning = () => performance.now() < endsAtMs && !signal.aborted;
  async function change(): Promise<void> {
    for (let turn = 0; isRunning(); turn += 1) {
      const { rowCount } = await pool.query(
        "UPDATE person SET city = country, change_no = nextval('record_change_no') WHERE person_no BETWEEN $1 AND $2",
        [turn * changedAtOnce + 1, (turn + 1) * changedAtOnce],
      );
      changed += rowCount ?? 0;
      const status = index.status();
      if (status.state === 'ready') {
        behindMsMax = Math.max(behindMsMax, Date.now() - status.refreshedAt.getTime());
      }
      await setTimeout(changePauseMs);
    }
  }
  const [{ perSecond, tookMs }] = await Promise.all([
    measureCalls(
      (client, turn) => {
        const random = seededRandom(options.seed, 1_000 + client, turn);
        const make = kinds[random.below(kinds.length)];
        return search(index, make?.(stock, random) ?? {});
      },
      options,
      signal,
    ),
    change(),
  ]);
  report.mixed = {
    ...percentiles(tookMs),
    perSecond,
    changedPerSecond: changed / options.seconds,
    behindMsMax,
  };
  tell(`mixed: p95 ${report.mixed.p95.toFixed(1)} ms`);
}

/** Measures the time from the commit of a new person until they are counted. */
async function measureLag({ options, index, pool, signal, report, tell }: Bench): Promise<void> {
  const { rows } = await pool.query<{ source_id: number }>('SELECT source_id FROM source LIMIT 1');
  const total = async () => (await index.count({ filters: {} })).total;
  const tookMs: number[] = [];
  for (let turn = 0; turn < lagTries; turn += 1) {
    const wanted = (await total()) + 1;
    await insertPeople(pool, rows[0]?.source_id ?? 0, options, options.people + turn, 1);
    const startedAtMs = performance.now();
    while ((await total()) < wanted) {
      signal.throwIfAborted();
      if (performance.now() - startedAtMs > givesUpMs) {
        throw new Error('A new person was not counted within a minute.');
      }
      await setTimeout(10);
    }
    tookMs.push(performance.now() - startedAtMs);
  }
  report.lag = percentiles(tookMs);
  tell(`lag: p50 ${report.lag.p50.toFixed(0)} ms`);
}
