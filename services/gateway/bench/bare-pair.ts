import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { House } from '@mailproof/dev-house';
import type { BareSettings } from './bare-process.ts';

export interface BarePair {
  readonly url: string;
  stop(): void;
}

/** As many as the services have by default. */
const connectionsMax = 10;

/** Starts both processes of the pair on the databases of a house. */
export async function startBarePair(house: House, requestsPerSecond: number): Promise<BarePair> {
  const children: ChildProcess[] = [];
  const start = async (file: string, schema: string, secondUrl: string) => {
    const child = fork(join(import.meta.dirname, file), { execArgv: [] });
    children.push(child);
    child.send({
      databaseUrl: house.databaseUrls[schema]?.databaseUrl ?? '',
      redisUrl: house.redisUrl,
      secondUrl,
      connectionsMax,
      requestsPerSecond,
    } satisfies BareSettings);
    const [port] = (await Promise.race([
      once(child, 'message'),
      once(child, 'exit').then(() => Promise.reject(new Error(`${file} ended early.`))),
    ])) as [number];
    return `http://127.0.0.1:${port}`;
  };
  const secondUrl = await start('bare-second.ts', 'ledger', '');
  const url = await start('bare-first.ts', 'gateway', secondUrl);
  return {
    url,
    stop: () => {
      for (const child of children) {
        child.kill();
      }
    },
  };
}
