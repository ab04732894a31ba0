import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '@mailproof/dev-house';
import { type Ground, serviceNames } from '../ground.ts';
import type { Fault } from './fault.ts';

/** Between the moment at which a replica gets no new connections and SIGTERM, as a `preStop` hook waits. */
const preStopMs = 2_000;

/** A new version of a service is rolled out: one replica after the other, and nobody may notice. */
export const rollingRestarts: readonly Fault[] = serviceNames.map(name => ({
  name: `roll-${name}`,
  title: `rolling restart of two ${name}`,
  replicas: 2,
  isSeamless: true,
  strike: ground => roll(ground, name),
}));

/**
 * As Kubernetes does: a replica that is to end leaves the endpoints at once, so that no new connection leads to it, while
 * those that stand go on; it ends in order; its successor joins the endpoints when it is ready.
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
