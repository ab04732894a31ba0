import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { waitFor } from './deadline.ts';
import type { RunningServer } from './keeper-plan.ts';
import { commandLineOf, isAlive, lastLines, stopProcess } from './processes.ts';
import { freePort } from './service-instances.ts';

export interface RedisPlan {
  /** Path of `redis-server` or `valkey-server`. */
  readonly program: string;
  readonly directory: string;
  /** Password of the user `default`, the administrator. */
  readonly password: string;
  /** Whether its data survives a restart. */
  readonly isDurable: boolean;
  readonly logFile: string;
  /** The port it used before; any free port if omitted. */
  readonly port?: number;
  readonly onPid: (pid: number) => void;
}

const startAttemptsMax = 3;
const startDeadlineMs = 120_000;

/** Enough for many test files, each of which claims its own logical database. */
const logicalDatabases = 256;

/** Starts our own Redis server on a free port of loopback and resolves when it accepts commands. */
export async function startRedis(plan: RedisPlan): Promise<RunningServer> {
  await mkdir(plan.directory, { recursive: true, mode: 0o700 });
  await clearEarlierRun(plan.directory);
  for (let attempt = 1; ; attempt += 1) {
    const port = plan.port ?? (await freePort());
    const server = await launch(plan, port);
    try {
      return await untilReady(plan, server, port);
    } catch (error) {
      if (server.pid) await stopProcess(server.pid);
      const portWasTaken = lastLines(plan.logFile).includes('Address already in use');
      if (!portWasTaken || attempt === startAttemptsMax) throw error;
    }
  }
}

/** Returns the configuration. It goes into a file, because every user of the machine can read a command line. */
export function redisConfiguration(plan: Pick<RedisPlan, 'directory' | 'isDurable'>, port: number): string {
  return `${[
    'bind 127.0.0.1',
    `port ${port}`,
    `aclfile ${quoted(usersFile(plan.directory))}`,
    `dir ${quoted(plan.directory)}`,
    `databases ${logicalDatabases}`,
    'daemonize no',
    'maxmemory-policy noeviction',
    'save ""',
    ...(plan.isDurable ? ['appendonly yes', 'appendfsync everysec'] : ['appendonly no']),
  ].join('\n')}\n`;
}

async function launch(plan: RedisPlan, port: number): Promise<ChildProcess> {
  const configuration = join(plan.directory, 'redis.conf');
  await writeFile(configuration, redisConfiguration(plan, port), { mode: 0o600 });
  await writeAdministrator(plan);
  const log = openSync(plan.logFile, 'a');
  const server = spawn(plan.program, [configuration], { cwd: '/', stdio: ['ignore', log, log] });
  closeSync(log);
  server.on('error', () => undefined);
  if (server.pid) {
    plan.onPid(server.pid);
    await writeFile(recordPath(plan.directory), JSON.stringify({ pid: server.pid, port }));
  }
  return server;
}

/**
 * Adds the administrator to the users file and keeps the services' users in it, so that they survive a restart: Redis
 * forgets users that are not in the file. Without the administrator in it, Redis would admit everyone as `default`,
 * because it ignores `requirepass` if it has a users file.
 */
async function writeAdministrator({ directory, password }: RedisPlan): Promise<void> {
  const file = usersFile(directory);
  const users = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const sha256 = createHash('sha256').update(password).digest('hex');
  const lines = [
    `user default on #${sha256} ~* &* +@all`,
    ...users.filter(line => !line.startsWith('user default ')),
  ];
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
}

function usersFile(directory: string): string {
  return join(directory, 'users.acl');
}

/** Stops an earlier server of ours, recognized by the name and port that Redis writes into its command line. */
async function clearEarlierRun(directory: string): Promise<void> {
  const record = recordPath(directory);
  if (!existsSync(record)) return;
  const { pid, port } = readRecord(record);
  const isOurs = new RegExp(`(redis|valkey)-server .*(127\\.0\\.0\\.1:${port}\\b|redis\\.conf)`);
  if (pid > 1 && isAlive(pid) && isOurs.test(commandLineOf(pid))) await stopProcess(pid);
  await rm(record, { force: true });
}

function readRecord(path: string): { pid: number; port: number } {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as { pid: number; port: number };
  } catch {
    return { pid: 0, port: 0 };
  }
}

async function untilReady(plan: RedisPlan, server: ChildProcess, port: number): Promise<RunningServer> {
  const url = `redis://:${encodeURIComponent(plan.password)}@127.0.0.1:${port}/0`;
  await waitFor(
    'Redis takes commands',
    async () => {
      if (!server.pid || server.exitCode !== null || server.signalCode !== null) {
        throw new Error(`Redis did not start:\n${lastLines(plan.logFile)}`);
      }
      return answers(url);
    },
    { deadlineMs: startDeadlineMs },
  );
  const pid = server.pid as number;
  return { pid, url, stop: () => stopProcess(pid) };
}

async function answers(url: string): Promise<boolean> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 5_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.ping()) === 'PONG';
  } catch {
    return false;
  } finally {
    // A client that could not connect has already ended; `disconnect` would wait two seconds for its end.
    if (client.status !== 'end') client.disconnect();
  }
}

function recordPath(directory: string): string {
  return join(directory, 'server.json');
}

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
