import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { waitFor } from './deadline.ts';
import { freePort } from './free-port.ts';
import { lastLines } from './last-lines.ts';
import { commandLineOf, isAlive, stopProcess } from './processes.ts';
import type { RunningServer } from './running-server.ts';

export interface RedisPlan {
  /** Path of `redis-server` or `valkey-server`. */
  readonly program: string;
  readonly directory: string;
  /** Of the user `default`, the administrator. */
  readonly password: string;
  /** Whether what it holds outlives it. */
  readonly isDurable: boolean;
  readonly logFile: string;
  /** Where it listened before; any free port otherwise. */
  readonly port?: number;
  readonly onPid: (pid: number) => void;
}

const startAttemptsMax = 3;
const startDeadlineMs = 30_000;

/** Many test files may each claim a logical database of their own. */
const logicalDatabases = 256;

/** Starts a Redis server of our own on a free port of loopback and answers when it takes commands. */
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

/** The configuration goes into a file, because everyone on the machine can read a command line. */
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
 * Puts the administrator into the file of users and keeps the services' users that are there: these outlive a restart,
 * and a user that is missing from the file is one that Redis forgets. Without the administrator in it, Redis would let
 * everyone in as `default`, and ignores `requirepass` where it has such a file.
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

/** Redis rewrites its command line to its name and port, and by these an earlier server of ours is known. */
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
    // One that could not connect has ended already, and would wait two seconds for its end.
    if (client.status !== 'end') client.disconnect();
  }
}

function recordPath(directory: string): string {
  return join(directory, 'server.json');
}

function quoted(path: string): string {
  return `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
