import { readFileSync } from 'node:fs';
import { startPrivateSearchEngine, waitFor } from '@mailproof/dev-house';
import { openPostgres } from '@mailproof/service-kit';
import type { RunningPeopleIndex } from '../../src/compose/people-search.ts';
import { createEnginePeopleIndex, openEngine } from '../../src/compose/search-engine.ts';
import type { BenchOptions } from './options.ts';
import type { Report } from './report.ts';

const fillDeadlineMs = 3 * 3_600_000;
/** Of the kernel's clock, in which it counts CPU time. */
const ticksPerSecond = 100;

/** Starts a search engine, fills it, and measures that; what must be stopped is added to `stops`. */
export async function startEngineIndex(
  { engineHeapGb, engineShards, compare }: BenchOptions,
  databaseUrl: string,
  report: Report,
  refreshIntervalMs: number,
  signal: AbortSignal,
  stops: (() => Promise<void>)[],
): Promise<RunningPeopleIndex> {
  const server = await startPrivateSearchEngine(undefined, [`-Xms${engineHeapGb}g`, `-Xmx${engineHeapGb}g`]);
  stops.push(() => server.stop());
  const fail = (error: Error): void => {
    report.failures.push(error.message);
  };
  const engine = openEngine({ url: server.url, user: undefined, password: undefined, ca: undefined });
  const pool = openPostgres({
    connectionString: databaseUrl,
    ...{ schema: 'enrichment', applicationName: 'bench-search-feed', connectionsMax: 3 },
    onIdleError: () => undefined,
  });
  const index = createEnginePeopleIndex({
    ...{ engine, prefix: 'bench', shards: engineShards, pool, refreshIntervalMs, removalDays: 30 },
    // People change between the searches that are compared.
    ...(compare !== undefined && { settledAfterMs: 0 }),
    events: {
      searchEngineLoaded: () => undefined,
      // Searches that are compared are repeated.
      searchEngineFailed: compare === undefined ? fail : () => undefined,
      searchFeedFailed: fail,
    },
  });
  const startedAtMs = performance.now();
  const cpuBefore = process.cpuUsage();
  const engineBefore = engineCpuSeconds(server.pid);
  index.start();
  try {
    await waitFor(
      'The search engine is filled',
      () => {
        signal.throwIfAborted();
        return index.status().state === 'ready';
      },
      { deadlineMs: fillDeadlineMs, everyMs: 200 },
    );
    const { user, system } = process.cpuUsage(cpuBefore);
    const stats = await engine.send<{ _all: { primaries: { store: { size_in_bytes: number } } } }>(
      'GET',
      '/bench-people-*/_stats/store',
    );
    report.load = {
      seconds: (performance.now() - startedAtMs) / 1_000,
      cpuSeconds: (user + system) / 1e6,
      engineCpuSeconds: engineCpuSeconds(server.pid) - engineBefore,
      columnsMb: stats._all.primaries.store.size_in_bytes / 1e6,
      processMb: residentMb(server.pid),
    };
    return index;
  } catch (error) {
    await index.close();
    throw error;
  }
}

function residentMb(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_000;
}

/** User and system time, fields 14 and 15 of proc(5). */
function engineCpuSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
