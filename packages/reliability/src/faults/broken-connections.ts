import { setTimeout as sleep } from 'node:timers/promises';
import type { Ground, ProxiedName } from '../ground.ts';
import { serviceNames } from '../ground.ts';
import type { Trouble } from '../tcp-proxy.ts';
import type { Fault } from './fault.ts';

/** How long a fault lasts, in milliseconds: longer than customers wait before they retry. */
const troubleMs = 6_000;

const targets: readonly {
  readonly name: string;
  readonly title: string;
  readonly of: readonly ProxiedName[];
}[] = [
  { name: 'postgres', title: 'Postgres', of: ['postgres'] },
  { name: 'redis', title: 'Redis', of: ['redis'] },
  { name: 'services', title: 'every service', of: serviceNames },
];

const troubles: readonly { readonly name: string; readonly title: string; readonly trouble: Trouble }[] = [
  { name: 'slow', title: '50 ms more each way to', trouble: { kind: 'latency', latencyMs: 50 } },
  { name: 'stalled', title: 'connections stand still to', trouble: { kind: 'stall' } },
  { name: 'silent', title: 'connections forgotten without a word to', trouble: { kind: 'silence' } },
  { name: 'reset', title: 'resets in the middle to', trouble: { kind: 'reset', everyPieces: 20 } },
];

/** Slow and broken connections between services and databases, and between every client and every service. */
export const brokenConnections: readonly Fault[] = targets.flatMap(target =>
  troubles.map(({ name, title, trouble }) => ({
    name: `${name}-${target.name}`,
    title: `${title} ${target.title}`,
    strike: (ground: Ground) => makeTrouble(ground, target.of, trouble),
  })),
);

async function makeTrouble(
  { proxies }: Ground,
  names: readonly ProxiedName[],
  trouble: Trouble,
): Promise<void> {
  for (const name of names) proxies[name].trouble(trouble);
  try {
    await sleep(troubleMs);
  } finally {
    for (const name of names) proxies[name].trouble();
  }
}
