import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeeperPlan, MessageFromKeeper, MessageToKeeper, ServerName } from './keeper-plan.ts';
import { gracefulStop, postgresStop, stopProcess } from './processes.ts';
import { stateFiles } from './state-files.ts';

/*
 * The keeper is a separate process, because a killed parent cannot clean up. It owns the database servers and ends when
 * the channel to its parent closes for any reason. Its own process group shields it and the servers from the terminal's
 * Ctrl-C, because the services must finish their work first.
 */

const watched = new Set<number>();
const servers = new Map<ServerName, number>();
let plan: KeeperPlan | undefined;
let stopping: Promise<void> | undefined;

process.on('message', (message: MessageToKeeper) => {
  if (message.type === 'run') run(message.plan).catch(fail);
  else if (message.type === 'watch') watched.add(message.pid);
  else watched.delete(message.pid);
});
process.on('disconnect', stop);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);

async function run(given: KeeperPlan): Promise<void> {
  plan = given;
  for (const server of ['postgres', 'redis'] as const) await rm(logFile(given, server), { force: true });
  const [databaseAdminUrl, redisUrl] = await Promise.all([runPostgres(given), runRedis(given)]);
  send({ type: 'ready', ...(databaseAdminUrl && { databaseAdminUrl }), ...(redisUrl && { redisUrl }) });
}

async function runPostgres(given: KeeperPlan): Promise<string | undefined> {
  if (!given.postgresPassword) return undefined;
  // A keeper of services alone, as in tests, starts sooner without the clients of the servers.
  const [{ startPostgres }, { locatePostgres }] = await Promise.all([
    import('./postgres.ts'),
    import('./postgres-location.ts'),
  ]);
  const location = await locatePostgres(given);
  if (location.note) send({ type: 'note', text: location.note });
  const { url } = await startPostgres({
    location,
    password: given.postgresPassword,
    isDurable: given.isDurable,
    logFile: logFile(given, 'postgres'),
    onPid: pid => own('postgres', pid),
  });
  return url;
}

async function runRedis(given: KeeperPlan): Promise<string | undefined> {
  if (!given.redis) return undefined;
  const { startRedis } = await import('./redis.ts');
  const { url } = await startRedis({
    ...given.redis,
    directory: join(given.stateDir, stateFiles.redis),
    isDurable: given.isDurable,
    logFile: logFile(given, 'redis'),
    onPid: pid => own('redis', pid),
  });
  return url;
}

function logFile({ stateDir }: KeeperPlan, server: ServerName): string {
  return join(stateDir, stateFiles.logs, `${server}.log`);
}

function own(server: ServerName, pid: number): void {
  servers.set(server, pid);
  send({ type: 'pid', pid, server });
  // A stop that began while this server was starting did not see it.
  if (stopping) void stopServer(server, pid);
}

/** Stops the services first, because they may still write to the databases. */
function stop(): void {
  stopping ??= (async () => {
    await Promise.all([...watched].map(pid => stopProcess(pid)));
    await Promise.all([...servers].map(([server, pid]) => stopServer(server, pid)));
    if (plan?.removeStateDirAfterward) await rm(plan.stateDir, { recursive: true, force: true });
    process.exit(0);
  })();
}

function stopServer(server: ServerName, pid: number): Promise<void> {
  return stopProcess(pid, server === 'postgres' ? postgresStop : gracefulStop);
}

function fail(error: unknown): void {
  send({ type: 'failed', message: error instanceof Error ? error.message : String(error) });
}

function send(message: MessageFromKeeper): void {
  if (process.connected) process.send?.(message, () => undefined);
}
