import { setTimeout } from 'node:timers/promises';
import { waitFor } from '@mailproof/dev-house';
import {
  type ClosedFacet,
  limits,
  type PeopleFacet,
  type PeopleFacetName,
  peopleFacetNames,
} from '@mailproof/shared-types';
import pg from 'pg';
import type { RunningPeopleIndex } from '../../src/compose/people-search.ts';
import { closedVocabularies } from '../../src/domain/people-search/check-filters.ts';
import { type PeopleCounts, PeopleIndexUnavailable } from '../../src/domain/people-search/people-index.ts';
import { seededRandom } from '../../src/fixtures/seeded-random.ts';
import { changesOf } from './change-people.ts';
import type { BenchOptions } from './options.ts';
import { answerBySql, readWording, type SqlAnswer } from './plain-sql.ts';
import { type Compared, type Differences, percentiles, type Report } from './report.ts';
import { type PeopleQuery, randomSearch, type Stock } from './searches.ts';

const searchesAtOnce = 25;
/** How long people change before each batch of searches is compared. */
const changingSeconds = 5;
const sqlConnections = 2;
const pagePeople = 100;
const pages = 2;
const followDeadlineMs = 120_000;
const triesMax = 10;

interface Comparison {
  readonly options: BenchOptions & { readonly compare: number };
  readonly memory: RunningPeopleIndex;
  readonly engine: RunningPeopleIndex;
  readonly pool: pg.Pool;
  readonly ownerUrl: string;
  readonly stock: () => Promise<Stock>;
  readonly signal: AbortSignal;
  readonly report: Report;
  readonly tell: (line: string) => void;
}

interface Answer {
  readonly counts: PeopleCounts;
  readonly personNos: readonly number[];
  readonly more: boolean;
}

/**
 * Compares random searches in both indices with SQL, in batches. Before each batch people change for some seconds, while
 * its searches are answered already, so that answers which were kept for too long would differ later.
 */
export async function compareSearches(comparison: Comparison): Promise<void> {
  const { options, memory, engine, pool, signal, report, tell } = comparison;
  const { rows } = await pool.query<{ source_id: number }>('SELECT source_id FROM source LIMIT 1');
  const changes = changesOf(pool, rows[0]?.source_id ?? 0, options, options.changesPerSecond);
  const clients = await openClients(comparison.ownerUrl);
  const startedAtMs = performance.now();
  const behindMs: number[] = [];
  let changingMs = 0;
  const found = { searches: 0, people: 0 };
  const differences = { memory: noDifferences(), engine: noDifferences() };
  try {
    for (let from = 0; from < options.compare; from += searchesAtOnce) {
      signal.throwIfAborted();
      const stock = await comparison.stock();
      const length = Math.min(searchesAtOnce, options.compare - from);
      const searches = Array.from({ length }, (_, at) =>
        randomSearch(stock, seededRandom(options.seed, 3_000, from + at), options.people),
      );
      const changingAtMs = performance.now();
      await Promise.all([
        changes.run(changingSeconds, signal),
        inTurn(searches, 1, async search => {
          await Promise.all([answerOf(memory, search), answerOf(engine, search)]);
        }),
      ]);
      changingMs += performance.now() - changingAtMs;
      behindMs.push(await untilFollowed([memory, engine]));
      const wording = await readWording(clients[0] as pg.Client);
      await inTurn(searches, clients.length, async (search, turn) => {
        signal.throwIfAborted();
        const [expected, inMemory, inEngine] = await Promise.all([
          answerBySql(clients[turn] as pg.Client, search, wording, pages * pagePeople + 1),
          answerOf(memory, search),
          answerOf(engine, search),
        ]);
        found.searches += expected.total > 0 ? 1 : 0;
        found.people += expected.total;
        addDifferences(differences.memory, search, expected, inMemory);
        addDifferences(differences.engine, search, expected, inEngine);
      });
      report.compared = {
        searches: from + length,
        found: found.searches,
        people: found.people / (from + length),
        seconds: (performance.now() - startedAtMs) / 1_000,
        changed: changes.changed,
        suppressed: changes.suppressed,
        changedPerSecond: changes.changed / (changingMs / 1_000),
        behindMs: percentiles(behindMs),
        differences,
      };
      tell(progressOf(report.compared, options.compare));
    }
  } finally {
    await Promise.all(clients.map(client => client.end()));
  }
}

function progressOf({ searches, seconds, changed, differences }: Compared, all: number): string {
  return `${searches} of ${all} searches compared after ${seconds.toFixed(0)} s and ${changed} changes; differ: ${differences.memory.searches} in memory, ${differences.engine.searches} in the search engine`;
}

async function openClients(ownerUrl: string): Promise<readonly pg.Client[]> {
  return Promise.all(
    Array.from({ length: sqlConnections }, async () => {
      const client = new pg.Client({
        connectionString: ownerUrl,
        options: '-c search_path=enrichment -c work_mem=256MB',
        statement_timeout: 120_000,
      });
      client.on('error', () => undefined);
      await client.connect();
      return client;
    }),
  );
}

/** Works on a list, several at once; `turn` tells which of them works. */
async function inTurn<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item, turn: number) => Promise<void>,
): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async (_, turn) => {
      for (const item of left) {
        await work(item, turn);
      }
    }),
  );
}

/** Waits until the indices have everything that is committed now; returns for how long. */
async function untilFollowed(indices: readonly RunningPeopleIndex[]): Promise<number> {
  const now = new Date();
  await waitFor(
    'The indices have followed',
    () =>
      indices.every(index => {
        const status = index.status();
        return status.state === 'ready' && status.refreshedAt > now;
      }),
    { deadlineMs: followDeadlineMs, everyMs: 20 },
  );
  return Date.now() - now.getTime();
}

/** Repeats a search that was told to, as clients do. */
async function answerOf(index: RunningPeopleIndex, query: PeopleQuery): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await answerOnce(index, query);
    } catch (error) {
      if (!(error instanceof PeopleIndexUnavailable) || attempt === triesMax) {
        throw error;
      }
      await setTimeout(error.retryAfterSeconds * 1_000);
    }
  }
}

async function answerOnce(index: RunningPeopleIndex, query: PeopleQuery): Promise<Answer> {
  const personNos: number[] = [];
  let more = true;
  for (let page = 0; more && page < pages; page += 1) {
    const next = await index.page({ ...query, after: personNos.at(-1) ?? 0, limit: pagePeople });
    personNos.push(...next.personNos);
    more = next.more;
  }
  return { counts: await index.count({ ...query, facets: true }), personNos, more };
}

function noDifferences(): Differences {
  return { searches: 0, totals: 0, pages: 0, facets: {} };
}

function addDifferences(sum: Differences, search: PeopleQuery, expected: SqlAnswer, answer: Answer): void {
  const { counts, personNos, more } = answer;
  const wanted = expected.personNos.slice(0, pages * pagePeople);
  const isTotal = counts.total === expected.total;
  const isPage =
    more === expected.personNos.length > wanted.length &&
    personNos.length === wanted.length &&
    wanted.every((each, at) => each === personNos[at]);
  let isSame = isTotal && isPage;
  sum.totals += isTotal ? 0 : 1;
  sum.pages += isPage ? 0 : 1;
  for (const name of peopleFacetNames) {
    const held = expected.facets.get(name) ?? new Map();
    const facet = counts.facets?.[name];
    const { values, wrong, lowBy } = facet ? compareFacet(name, held, facet) : missing;
    const before = sum.facets[name] ?? { values: 0, wrong: 0, lowBy: 0 };
    sum.facets[name] = {
      values: before.values + values,
      wrong: before.wrong + wrong,
      lowBy: Math.max(before.lowBy, lowBy),
    };
    isSame &&= wrong === 0;
  }
  sum.searches += isSame ? 0 : 1;
  if (!isSame) {
    sum.example ??= JSON.stringify(search.filters);
  }
}

const missing = { values: 0, wrong: 1, lowBy: 1 };

/**
 * Compares a facet with the number of people of every value. Which of several values of equal count a facet cuts off is
 * not decided, and their order is not either.
 */
function compareFacet(
  name: PeopleFacetName,
  held: ReadonlyMap<string | null, number>,
  { values, unknown, more }: PeopleFacet,
): { readonly values: number; readonly wrong: number; readonly lowBy: number } {
  const whole = closedVocabularies[name as ClosedFacet] as readonly string[] | undefined;
  const counts = [...held].filter((each): each is [string, number] => each[0] !== null);
  const inOrder = counts.map(([, count]) => count).sort((one, other) => other - one);
  const shown = whole ? whole.length : Math.min(inOrder.length, limits.facetValuesMax);
  const isMore = !whole && inOrder.length > shown;
  const cutOff = isMore ? (inOrder[shown - 1] ?? 0) : 0;
  const given = new Map(values.map(({ value, count }) => [value, count]));
  let wrong = [
    unknown !== (held.get(null) ?? 0),
    more !== isMore,
    given.size !== shown || values.length !== shown,
    !whole && values.some(({ count }, at) => count > (values[at - 1]?.count ?? count)),
  ].filter(Boolean).length;
  let lowBy = 0;
  for (const [value, count] of given) {
    const right = held.get(value) ?? 0;
    if (count !== right) {
      wrong += 1;
      lowBy = Math.max(lowBy, (right - count) / Math.max(right, 1));
    } else if (!whole && count < cutOff) {
      wrong += 1;
    }
  }
  for (const [value, count] of counts) {
    if (count > cutOff && !given.has(value)) {
      wrong += 1;
      lowBy = 1;
    }
  }
  return { values: shown, wrong, lowBy };
}
