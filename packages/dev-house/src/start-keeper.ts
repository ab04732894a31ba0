import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { within } from './deadline.ts';
import type { KeeperPlan, MessageFromKeeper, MessageToKeeper, ServerName } from './keeper-plan.ts';
import { gracefulStop, isAlive, postgresStop, stopProcess } from './processes.ts';

/** The parent's handle to the keeper. The keeper stops with this process, and stops everything that it keeps. */
export interface Keeper {
  readonly pid: number;
  readonly databaseAdminUrl?: string;
  readonly redisUrl?: string;
  readonly serverPids: Readonly<Partial<Record<ServerName, number>>>;
  /** Ensures that the process, or its group if the number is negative, does not outlive this one. */
  watch(pid: number): void;
  unwatch(pid: number): void;
  stop(): Promise<void>;
}

export interface KeeperEvents {
  readonly onNote?: (text: string) => void;
  /** Called when the keeper was killed; this process then stops what it kept. */
  readonly onLost?: () => void;
  /** Aborts the start of the servers. */
  readonly signal?: AbortSignal;
}

const startDeadlineMs = 180_000;
const stopDeadlineMs = 40_000;

/** Starts a keeper and resolves when the servers of its plan are ready. */
export async function startKeeper(plan: KeeperPlan, events: KeeperEvents = {}): Promise<Keeper> {
  // Does not inherit this process's Node options: those for Jest would only add warnings.
  const child = fork(join(import.meta.dirname, 'keeper.ts'), {
    detached: true,
    execArgv: [],
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const serverPids: Partial<Record<ServerName, number>> = {};
  const watched = new Set<number>();
  let isWanted = true;
  child.on('message', (message: MessageFromKeeper) => {
    if (message.type === 'pid') serverPids[message.server] = message.pid;
    if (message.type === 'note') events.onNote?.(message.text);
  });
  child.once('exit', async () => {
    if (!isWanted) return;
    events.onLost?.();
    await stopOrphans(watched, serverPids);
  });

  async function stop(): Promise<void> {
    isWanted = false;
    if (child.exitCode === null && child.signalCode === null) {
      child.ref();
      const gone = once(child, 'exit');
      if (child.connected) child.disconnect();
      await within('The keeper stops', gone, stopDeadlineMs).catch(() => child.kill('SIGKILL'));
    }
    await stopOrphans(watched, serverPids);
  }
  function tell(message: MessageToKeeper): void {
    if (child.connected) child.send(message, () => undefined);
  }

  tell({ type: 'run', plan });
  try {
    events.signal?.addEventListener('abort', () => void stop(), { once: true });
    if (events.signal?.aborted) throw new Error('The start was given up.');
    const urls = await within('The database servers start', readiness(child), startDeadlineMs);
    // The keeper ends when the parent does, and does not keep the parent's event loop alive.
    child.unref();
    child.channel?.unref();
    return {
      pid: child.pid as number,
      ...urls,
      serverPids,
      watch(pid) {
        watched.add(pid);
        tell({ type: 'watch', pid });
      },
      unwatch(pid) {
        watched.delete(pid);
        tell({ type: 'unwatch', pid });
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function readiness(child: ChildProcess): Promise<Pick<Keeper, 'databaseAdminUrl' | 'redisUrl'>> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: MessageFromKeeper) => {
      if (message.type === 'failed') reject(new Error(message.message));
      if (message.type !== 'ready') return;
      const { type: _type, ...urls } = message;
      resolve(urls);
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error('The process that keeps the database servers ended early.')));
  });
}

async function stopOrphans(
  watched: ReadonlySet<number>,
  serverPids: Readonly<Partial<Record<ServerName, number>>>,
): Promise<void> {
  await Promise.all([...watched].filter(isAlive).map(pid => stopProcess(pid)));
  const { postgres, redis } = serverPids;
  await Promise.all([
    postgres && isAlive(postgres) && stopProcess(postgres, postgresStop),
    redis && isAlive(redis) && stopProcess(redis, gracefulStop),
  ]);
}
