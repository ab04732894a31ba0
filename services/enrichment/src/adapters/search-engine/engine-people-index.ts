import { setTimeout } from 'node:timers/promises';
import type { Pool } from 'pg';
import {
  type PeopleIndex,
  type PeopleIndexStatus,
  PeopleIndexUnavailable,
  peoplePageMax,
} from '../../domain/people-search/people-index.ts';
import type { RunningPeopleIndex } from '../people-index/start-people-index.ts';
import { type CountAnswer, countPeople } from './count-people.ts';
import { feedPeople, readEngineStatus } from './feed-people.ts';
import { EngineFailure, type SearchEngine } from './open-engine.ts';
import { engineNames } from './people-mapping.ts';
import { PeopleValues } from './people-values.ts';
import { searchAll, together } from './search-all.ts';
import { pageBody } from './search-query.ts';

/** The maximum number of searches at once; further ones are told to retry. */
const searchesMax = 64;
const searchDeadlineMs = 5_000;

export interface EnginePeopleIndexOptions {
  readonly engine: SearchEngine;
  /** Begins the names of everything in the engine. */
  readonly prefix: string;
  readonly shards: number;
  /** For the feed alone: it holds connections for long. */
  readonly pool: Pool;
  readonly refreshIntervalMs: number;
  readonly removalDays: number;
  /** See `CountOptions`; ten seconds unless given. */
  readonly settledAfterMs?: number;
  readonly events: {
    searchEngineLoaded(people: number, durationMs: number): void;
    searchEngineFailed(error: Error): void;
    searchFeedFailed(error: Error): void;
  };
}

interface PageAnswer {
  readonly hits: { readonly hits: readonly { readonly sort: readonly [number] }[] };
}

/** A people index in a search engine, which one of the replicas feeds. */
export function createEnginePeopleIndex(options: EnginePeopleIndexOptions): RunningPeopleIndex {
  const { engine, pool, refreshIntervalMs, settledAfterMs = 10_000, events } = options;
  const names = engineNames(options.prefix);
  const values = new PeopleValues(engine, names.alias, searchDeadlineMs);
  const stopping = new AbortController();
  const { signal } = stopping;
  let status: PeopleIndexStatus = { state: 'loading', people: 0, peopleExpected: 0 };
  let running: readonly Promise<void>[] = [];
  let closing: Promise<void> | undefined;
  let searches = 0;
  let changedAtMs = performance.now();
  const startedAtMs = performance.now();

  async function followStatus(): Promise<void> {
    let wasLoaded = false;
    while (!signal.aborted) {
      try {
        const before = status;
        status = await readEngineStatus(engine, names);
        if (status.state !== 'ready' || before.state !== 'ready' || status.readUpTo !== before.readUpTo) {
          changedAtMs = performance.now();
        }
        if (status.state === 'ready' && !wasLoaded) {
          wasLoaded = true;
          events.searchEngineLoaded(status.people, performance.now() - startedAtMs);
        }
      } catch (error) {
        if (status.state !== 'failed' && !signal.aborted) {
          events.searchEngineFailed(error as Error);
        }
        status = { state: 'failed', reason: 'the search engine does not answer' };
      }
      await setTimeout(refreshIntervalMs, undefined, { signal }).catch(() => undefined);
    }
  }

  function assertReady(): void {
    if (signal.aborted) {
      throw new PeopleIndexUnavailable('closed', 'The search is shutting down.', 5);
    }
    if (status.state === 'failed') {
      throw unreachable();
    }
    if (status.state === 'loading') {
      const { people, peopleExpected } = status;
      const progress = `${people.toLocaleString('en')} of ${peopleExpected.toLocaleString('en')} people`;
      throw new PeopleIndexUnavailable('loading', `The index is still loading: it has ${progress}.`, 5);
    }
    if (searches >= searchesMax) {
      throw new PeopleIndexUnavailable('busy', 'Too many searches are waiting right now.', 1);
    }
  }

  /** Runs a search, and says how it failed in the words of the index. */
  async function searching<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    assertReady();
    searches += 1;
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof EngineFailure)) {
        throw error;
      }
      events.searchEngineFailed(error);
      if (error.isLate) {
        throw new PeopleIndexUnavailable('late', 'The search took too long.', 2);
      }
      if (error.status === 429) {
        throw new PeopleIndexUnavailable('busy', 'Too many searches are waiting right now.', 1);
      }
      // The engine understands every query of ours; anything but a refusal passes, such as an index that is closed.
      throw error.status === 400 && error.type !== 'index_closed_exception' ? error : unreachable();
    } finally {
      searches -= 1;
    }
  }

  async function close(): Promise<void> {
    stopping.abort();
    await Promise.all(running);
    await pool.end();
    await engine.close();
  }

  function ask<Answer>(body: object): Promise<Answer> {
    return engine.send<Answer>('POST', `/${names.alias}/_search`, {
      // A part of the index is no answer.
      query: { allow_partial_search_results: false, cancel_after_time_interval: `${searchDeadlineMs}ms` },
      body,
      timeoutMs: searchDeadlineMs,
    });
  }

  const index: PeopleIndex = {
    status: () => status,
    count: ({ facets: withFacets = false, ...query }) =>
      searching(async () => {
        const { filters, read } = await values.readKnown(query.filters);
        const endsAtMs = performance.now() + searchDeadlineMs;
        const leftMs = () => Math.max(Math.ceil(endsAtMs - performance.now()), 1);
        const people = await countPeople(
          { ...query, filters },
          {
            run: together(bodies => searchAll<CountAnswer>(engine, names.alias, bodies, leftMs())),
            ...{ withFacets, shards: options.shards },
            isSettled: performance.now() - changedAtMs >= settledAfterMs,
          },
        );
        const counts = { ...people, ...(read.length > 0 && { read }) };
        return counts.facets ? { ...counts, facets: await values.spell(counts.facets) } : counts;
      }),
    page: ({ after, limit, ...query }) =>
      searching(async () => {
        const { filters } = await values.readKnown(query.filters);
        const size = Math.min(limit, peoplePageMax);
        const { hits } = await ask<PageAnswer>(pageBody({ ...query, filters }, after, size + 1));
        const personNos = hits.hits.map(({ sort }) => sort[0]);
        return { personNos: personNos.slice(0, size), more: personNos.length > size };
      }),
    vocabulary: () => searching(() => values.vocabulary()),
  };
  return {
    ...index,
    start() {
      running = [
        followStatus(),
        feedPeople({
          ...{ engine, names, pool, signal, intervalMs: refreshIntervalMs, shards: options.shards },
          removalDays: options.removalDays,
          onFailure: events.searchFeedFailed,
        }),
      ];
    },
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function unreachable(): PeopleIndexUnavailable {
  return new PeopleIndexUnavailable('failed', 'The search engine does not answer.', 5);
}
