import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newPassword } from '@mailproof/installation';
import { waitFor } from './deadline.ts';
import type { KeeperPlan, RunningServer, ServerName } from './keeper-plan.ts';
import { startPostgres } from './postgres.ts';
import { locatePostgres } from './postgres-location.ts';
import { gracefulStop, isAlive, postgresStop, stopProcess } from './processes.ts';
import { projectRoot } from './project-root.ts';
import { startRedis } from './redis.ts';
import { findRedisProgram } from './redis-users.ts';
import { type Keeper, startKeeper } from './start-keeper.ts';
import { makeStateDirectory, stateFiles } from './state-files.ts';

/** A database server for a single test file, which may break it. */
export interface KillableServer {
  /** The same across restarts; for Postgres, the administrator's URL. */
  readonly url: string;
  /** Kills the server with SIGKILL and waits until it has exited. */
  kill(): Promise<void>;
  /** Restarts the server at the same address, with its data. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const goneDeadlineMs = 120_000;
const startAttemptsMax = 10;
const waitMs = 300;

export interface PrivatePostgresOptions {
  /** The folder of the machine's own Postgres, to use instead of the packaged one. */
  readonly programs?: string;
  /**
   * The administrator's password. The passwords of a house's roles derive from it, so a server that replaces another
   * needs the same one.
   */
  readonly password?: string;
}

/** Starts a Postgres that keeps committed data, even if it is killed. */
export async function startPrivatePostgres({
  programs,
  password = newPassword(),
}: PrivatePostgresOptions = {}): Promise<KillableServer> {
  const plan = await privatePlan({
    postgresPassword: password,
    ...(programs !== undefined && { postgresPrograms: programs }),
  });
  return startPrivate('postgres', plan, async (port, onPid) =>
    startPostgres({
      location: await locatePostgres(plan),
      password,
      isDurable: true,
      logFile: logFile(plan, 'postgres'),
      port,
      onPid,
    }),
  );
}

/** Starts a Redis that keeps its data, even if it is killed, except for the last second. */
export async function startPrivateRedis(): Promise<KillableServer> {
  const redis = { program: await findRedisProgram({ report: () => undefined }), password: newPassword() };
  const plan = await privatePlan({ redis });
  return startPrivate('redis', plan, (port, onPid) =>
    startRedis({
      ...redis,
      directory: join(plan.stateDir, stateFiles.redis),
      isDurable: true,
      logFile: logFile(plan, 'redis'),
      port,
      onPid,
    }),
  );
}

async function privatePlan(
  server: Pick<KeeperPlan, 'postgresPassword' | 'postgresPrograms'> | Pick<KeeperPlan, 'redis'>,
): Promise<KeeperPlan> {
  const stateDir = await mkdtemp(join(tmpdir(), 'mailproof-private-'));
  await makeStateDirectory(stateDir, { isNew: true });
  return {
    projectRoot,
    stateDir,
    installationId: 'private',
    isDurable: true,
    removeStateDirAfterward: true,
    ...server,
  };
}

/** The keeper ensures that neither the server nor its successor outlives this process. */
async function startPrivate(
  name: ServerName,
  plan: KeeperPlan,
  startAgain: (port: number, onPid: (pid: number) => void) => Promise<RunningServer>,
): Promise<KillableServer> {
  const keeper: Keeper = await startKeeper(plan);
  const url = (name === 'postgres' ? keeper.databaseAdminUrl : keeper.redisUrl) as string;
  let pid = keeper.serverPids[name] as number;

  async function kill(): Promise<void> {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    await waitFor(`The private ${name} has gone`, async () => !isAlive(pid), { deadlineMs: goneDeadlineMs });
    keeper.unwatch(pid);
  }

  return {
    url,
    kill,
    async restart() {
      await kill();
      ({ pid } = await patiently(() =>
        startAgain(Number(new URL(url).port), started => keeper.watch(started)),
      ));
    },
    async stop() {
      await stopProcess(pid, name === 'postgres' ? postgresStop : gracefulStop);
      await keeper.stop();
    },
  };
}

/** Retries a start: remaining processes of a killed Postgres hold its shared memory for a moment. */
async function patiently<Result>(start: () => Promise<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await start();
    } catch (error) {
      if (attempts === startAttemptsMax) throw error;
      await sleep(waitMs);
    }
  }
}

function logFile({ stateDir }: KeeperPlan, server: ServerName): string {
  return join(stateDir, stateFiles.logs, `${server}.log`);
}
