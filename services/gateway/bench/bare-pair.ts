import { join } from 'node:path';
import type { House } from '@mailproof/dev-house';
import { type BareProcess, startBareProcess } from '@mailproof/dev-house/bench';

/** The settings that the benchmark passes to a process of the bare pair. */
export interface BareSettings {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** The URL of the second process of the pair. */
  readonly secondUrl: string;
  readonly connectionsMax: number;
  readonly requestsPerSecond: number;
}

/** The services' default. */
const connectionsMax = 10;

/** Starts both processes of the pair on the databases of a house. */
export async function startBarePair(house: House, requestsPerSecond: number): Promise<BareProcess> {
  const start = (file: string, schema: string, secondUrl: string) =>
    startBareProcess(join(import.meta.dirname, file), {
      databaseUrl: house.databaseUrls[schema]?.databaseUrl ?? '',
      redisUrl: house.redisUrl,
      secondUrl,
      connectionsMax,
      requestsPerSecond,
    } satisfies BareSettings);
  const second = await start('bare-second.ts', 'ledger', '');
  try {
    const first = await start('bare-first.ts', 'gateway', second.url);
    return {
      url: first.url,
      stop() {
        first.stop();
        second.stop();
      },
    };
  } catch (error) {
    second.stop();
    throw error;
  }
}
