import { type Sealer, SealFault } from '@mailproof/service-kit';
import type { ExportId } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import type { Destination, DestinationStore } from '../../domain/push/destination.ts';

/** The type with which destinations are sealed. */
export const sealedDestinationType = 'mailproof-destination';

export interface DestinationStoreOptions {
  readonly redis: Redis;
  readonly sealer: Sealer;
  /** How long a destination is kept after its last use, in seconds. */
  readonly keptSeconds: number;
  /** Called when a stored destination cannot be opened. */
  readonly onNotOpened: (exportId: ExportId, fault: SealFault) => void;
}

/**
 * Stores destinations sealed in Redis, each for one export and a limited time. A destination that Redis loses, or that
 * a replaced key ring cannot open, is lost: it is deliberately stored nowhere else (ADR 0037).
 */
export function createDestinationStore(options: DestinationStoreOptions): DestinationStore {
  const { redis, sealer, keptSeconds, onNotOpened } = options;
  return {
    async keep(exportId, destination) {
      const sealed = await sealer.seal(JSON.stringify(destination), exportId);
      await redis.set(keyOf(exportId), sealed, 'EX', keptSeconds);
    },
    async find(exportId) {
      const sealed = await redis.getex(keyOf(exportId), 'EX', keptSeconds);
      if (sealed === null) {
        return undefined;
      }
      try {
        return JSON.parse(await sealer.open(sealed, exportId)) as Destination;
      } catch (error) {
        if (error instanceof SealFault) {
          onNotOpened(exportId, error);
          return undefined;
        }
        throw error;
      }
    },
    async forget(exportId) {
      await redis.del(keyOf(exportId));
    },
  };
}

function keyOf(exportId: ExportId): string {
  return `mailproof:destination:${exportId}`;
}
