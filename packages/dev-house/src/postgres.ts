import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { chown, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { waitFor, within } from './deadline.ts';
import type { RunningServer } from './keeper-plan.ts';
import type { PostgresLocation } from './postgres-location.ts';
import { commandLineOf, isAlive, lastLines, postgresStop, stopProcess } from './processes.ts';
import { freePort } from './service-instances.ts';

export interface PostgresPlan {
  readonly location: PostgresLocation;
  /** Password of the superuser `postgres`. */
  readonly password: string;
  /** Whether committed data must be on disk; tests do without this and are much faster. */
  readonly isDurable: boolean;
  readonly logFile: string;
  /** The port it used before; any free port if omitted. */
  readonly port?: number;
  /** Called as soon as the process exists, so that it can be stopped if the start fails. */
  readonly onPid: (pid: number) => void;
}

const startAttemptsMax = 3;
const startDeadlineMs = 120_000;
const initDeadlineMs = 120_000;

/** Starts our own Postgres server on a free port of loopback and resolves when it accepts connections. */
export async function startPostgres(plan: PostgresPlan): Promise<RunningServer> {
  const { dataDirectory } = plan.location;
  if (existsSync(join(dataDirectory, 'PG_VERSION'))) await clearEarlierRun(dataDirectory);
  else await initialize(plan);
  for (let attempt = 1; ; attempt += 1) {
    const port = plan.port ?? (await freePort());
    const server = launch(plan, port);
    try {
      return await untilReady(plan, server, port);
    } catch (error) {
      if (server.pid) await stopProcess(server.pid, postgresStop);
      const portWasTaken = lastLines(plan.logFile).includes('Address already in use');
      if (!portWasTaken || attempt === startAttemptsMax) throw error;
    }
  }
}

/**
 * Cleans up after an interrupted run, which leaves `postmaster.pid` behind, and sometimes a live server. Stops the
 * server if it is ours; if the pid now belongs to another program, only removes the file.
 */
export async function clearEarlierRun(dataDirectory: string): Promise<void> {
  const lockFile = join(dataDirectory, 'postmaster.pid');
  if (!existsSync(lockFile)) return;
  const pid = Number(readFileSync(lockFile, 'utf8').split('\n', 1)[0]);
  if (Number.isInteger(pid) && pid > 1 && isAlive(pid) && commandLineOf(pid).includes(dataDirectory)) {
    await stopProcess(pid, postgresStop);
    if (isAlive(pid))
      throw new Error(`An earlier Postgres (process ${pid}) on ${dataDirectory} does not stop.`);
  }
  await rm(lockFile, { force: true });
}

/**
 * Creates the data directory under another name first, so that an incomplete one is never mistaken for a complete one.
 */
async function initialize({ location, password, isDurable, logFile }: PostgresPlan): Promise<void> {
  const { dataDirectory, user } = location;
  const unfinished = `${dataDirectory}.unfinished`;
  const passwordFile = `${dataDirectory}.password`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await rm(passwordFile, { force: true });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600 });
  if (user) for (const path of [unfinished, passwordFile]) await chown(path, user.uid, user.gid);
  try {
    // macOS lacks C.UTF-8. C sorts the same, but does not define the case of non-ASCII letters.
    for (const locale of ['C.UTF-8', 'C']) {
      const code = await run(location, logFile, 'initdb', [
        ...['-D', unfinished, '-U', 'postgres', '-E', 'UTF8', `--locale=${locale}`],
        ...['--auth=scram-sha-256', `--pwfile=${passwordFile}`, '--no-instructions'],
        ...(isDurable ? [] : ['--no-sync']),
      ]);
      if (code === 0) return await rename(unfinished, dataDirectory);
    }
    throw new Error(`Postgres could not create its data directory ${dataDirectory}:\n${lastLines(logFile)}`);
  } finally {
    await rm(passwordFile, { force: true });
  }
}

async function run(
  location: PostgresLocation,
  logFile: string,
  program: string,
  args: string[],
): Promise<number> {
  const child = spawnProgram(location, logFile, program, args);
  try {
    const [code] = (await within(program, once(child, 'exit'), initDeadlineMs)) as [number | null];
    return code ?? 1;
  } finally {
    child.kill('SIGKILL');
  }
}

function launch({ location, isDurable, logFile, onPid }: PostgresPlan, port: number): ChildProcess {
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'max_connections=200',
    'timezone=UTC',
    'log_timezone=UTC',
    ...(isDurable ? [] : ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off']),
  ];
  const server = spawnProgram(location, logFile, 'postgres', [
    ...['-D', location.dataDirectory],
    ...settings.flatMap(setting => ['-c', setting]),
  ]);
  if (server.pid) onPid(server.pid);
  return server;
}

function spawnProgram(
  { programs, user }: PostgresLocation,
  logFile: string,
  program: string,
  args: readonly string[],
): ChildProcess {
  const log = openSync(logFile, 'a');
  try {
    // The user's own PG* settings are for other servers, so pass on little of the environment.
    const env = { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };
    const child = spawn(join(programs, program), args, {
      ...user,
      cwd: '/',
      env,
      stdio: ['ignore', log, log],
    });
    // The caller notices a program that cannot start by its missing pid; without this listener, the error would end
    // this process.
    child.on('error', () => undefined);
    return child;
  } finally {
    closeSync(log);
  }
}

async function untilReady(plan: PostgresPlan, server: ChildProcess, port: number): Promise<RunningServer> {
  const url = `postgres://postgres:${encodeURIComponent(plan.password)}@127.0.0.1:${port}/postgres`;
  await waitFor(
    'Postgres takes connections',
    async () => {
      if (!server.pid || server.exitCode !== null || server.signalCode !== null) {
        throw new Error(`Postgres did not start:\n${lastLines(plan.logFile)}`);
      }
      return answers(url);
    },
    { deadlineMs: startDeadlineMs },
  );
  const pid = server.pid as number;
  return { pid, url, stop: () => stopProcess(pid, postgresStop) };
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch (error) {
    // 28P01 is a wrong password, which waiting does not fix.
    if ((error as { code?: string }).code === '28P01') {
      throw new Error(
        'The password of Postgres does not match secrets.json; delete the state directory to start over.',
      );
    }
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
