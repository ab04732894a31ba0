import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { newPassword } from '@mailproof/installation';
import { waitFor } from './deadline.ts';
import { hireKeeper, type Keeper } from './hire-keeper.ts';
import type { KeeperPlan, ServerName } from './keeper-messages.ts';
import { startPostgres } from './postgres.ts';
import { placePostgres } from './postgres-placement.ts';
import { gentleStop, isAlive, postgresStop, stopProcess } from './processes.ts';
import { projectRoot } from './project-root.ts';
import { startRedis } from './redis.ts';
import { findRedisProgram } from './redis-program.ts';
import type { RunningServer } from './running-server.ts';
import { makeStateDirectory, stateFiles } from './state-files.ts';

/** A database server that belongs to one test file, which may break it. */
export interface KillableServer {
  /** Stays the same over restarts; of Postgres, an administrator's. */
  readonly url: string;
  /** Ends it without warning and waits until it has gone. */
  kill(): Promise<void>;
  /** Starts it again at the same address, with what it had written. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const goneDeadlineMs = 10_000;
const startAttemptsMax = 10;
const waitMs = 300;

export interface PrivatePostgresOptions {
  /** The folder of a Postgres of the machine, in place of the packaged one. */
  readonly programs?: string;
  /** Of its administrator. Roles of a house take theirs from it, so a server that takes over from another has the same. */
  readonly password?: string;
}

/** A Postgres that keeps what it has committed, also when it is killed. */
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
      placement: await placePostgres(plan),
      password,
      isDurable: true,
      logFile: logFile(plan, 'postgres'),
      port,
      onPid,
    }),
  );
}

/** A Redis that keeps what it has written, also when it is killed, but for the last second. */
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
    removeStateDirAfterwards: true,
    ...server,
  };
}

/** The keeper sees to it that the server, or the one that follows it, does not outlive this process. */
async function startPrivate(
  name: ServerName,
  plan: KeeperPlan,
  startAgain: (port: number, onPid: (pid: number) => void) => Promise<RunningServer>,
): Promise<KillableServer> {
  const keeper: Keeper = await hireKeeper(plan);
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
      await stopProcess(pid, name === 'postgres' ? postgresStop : gentleStop);
      await keeper.stop();
    },
  };
}

/** What a killed Postgres leaves running keeps its memory for a moment longer. */
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
