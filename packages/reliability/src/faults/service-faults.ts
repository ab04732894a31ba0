import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '@mailproof/dev-house';
import { type Ground, serviceNames } from '../ground.ts';
import type { Fault } from './fault.ts';

/** Each service is killed and restarted, as Kubernetes restarts a container. */
export const killedServices: readonly Fault[] = serviceNames.map(name => ({
  name: `kill-${name}`,
  title: `${name} killed −9`,
  async strike(ground) {
    await ground.service(name).kill('SIGKILL');
    await ground.service(name).restart();
  },
}));

/** The time between a replica's last new connection and SIGTERM, like the delay of a `preStop` hook. */
const preStopMs = 2_000;

/** A service is rolled out, one replica after the other, and no client may notice. */
export const rollingRestarts: readonly Fault[] = serviceNames.map(name => ({
  name: `roll-${name}`,
  title: `rolling restart of two ${name}`,
  replicas: 2,
  isSeamless: true,
  strike: ground => roll(ground, name),
}));

/**
 * Works as in Kubernetes: a terminating replica leaves the endpoints immediately, so that it gets no new connections
 * but keeps its open ones. Then it shuts down gracefully, and its successor joins the endpoints when it is ready.
 */
async function roll({ proxies, replicasOf }: Ground, name: ServiceName): Promise<void> {
  const replicas = replicasOf(name);
  for (const leaving of replicas) {
    proxies[name].aimAt(replicas.filter(each => each !== leaving));
    await sleep(preStopMs);
    await leaving.kill('SIGTERM');
    await leaving.restart();
    proxies[name].aimAt(replicas);
  }
}

/** The offset between the clocks of the services and those of the databases and customers, and how long it lasts. */
const [aheadSeconds, aheadMs] = [120, 6_000];

const offsetFile = join(tmpdir(), `mailproof-clock-${process.pid}`);

/** The clocks of all services jump ahead and back while they run; those of Postgres, Redis and the customers do not. */
export const jumpingClock: Fault = {
  name: 'clock',
  title: `the clocks of all services jump ${aheadSeconds} s ahead, and back`,
  env: () => Object.fromEntries(serviceNames.map(name => [name, fakedTime()])),
  lacks: () =>
    library() ? undefined : 'libfaketime is not installed (Debian, Ubuntu: apt-get install faketime)',
  async strike() {
    await writeFile(offsetFile, `+${aheadSeconds}\n`);
    await sleep(aheadMs);
    await writeFile(offsetFile, '+0\n');
  },
};

function fakedTime(): Record<string, string> {
  if (!existsSync(offsetFile)) {
    writeFileSync(offsetFile, '+0\n');
    process.once('exit', () => rmSync(offsetFile, { force: true }));
  }
  return {
    LD_PRELOAD: library() ?? '',
    FAKETIME_TIMESTAMP_FILE: offsetFile,
    FAKETIME_NO_CACHE: '1',
    // Timers are unaffected, as on a machine whose clock was corrected.
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
}

/** Returns the path at which Debian and its derivatives install libfaketime, on any architecture. */
function library(): string | undefined {
  const root = '/usr/lib';
  if (!existsSync(root)) return undefined;
  return [root, ...readdirSync(root).map(folder => join(root, folder))]
    .map(folder => join(folder, 'faketime/libfaketime.so.1'))
    .find(file => existsSync(file));
}

const alwaysFull = '/dev/full';

/** All log writes of all services fail, from their start to the end of the work. */
export const fullDisk: Fault = {
  name: 'full-disk',
  title: 'logs on a disk that is full',
  lacks: () => (existsSync(alwaysFull) ? undefined : `there is no ${alwaysFull}`),
  async strike({ service }: Ground) {
    await Promise.all(
      serviceNames.map(async name => {
        const { logFile } = service(name);
        await rename(logFile, `${logFile}.before`);
        await symlink(alwaysFull, logFile);
        try {
          await service(name).restart();
        } finally {
          await rm(logFile);
          await rename(`${logFile}.before`, logFile);
        }
      }),
    );
  },
};
