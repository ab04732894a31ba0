import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { RateLimiter } from '@mailproof/shared-types';
import { ProviderFault } from '../../domain/profile-provider/profile-provider.ts';

/** The longest that a question waits for its turn, in milliseconds. */
const waitMsMax = 3_000;
/** The limiter says when the window moves; this much later it surely has. */
const marginMs = 5;

/** Keeps all replicas together within the rate at which a provider or a host may be asked. */
export function createAwaitTurn(
  limiter: RateLimiter,
): (subject: string, perSecond: number, signal: AbortSignal) => Promise<void> {
  return async (subject, perSecond, signal) => {
    let waitedMs = 0;
    for (;;) {
      const { admitted, resetInMs } = await limiter.admit(subject, randomUUID(), perSecond, 1_000);
      if (admitted) {
        return;
      }
      waitedMs += resetInMs + marginMs;
      if (waitedMs > waitMsMax) {
        throw new ProviderFault('rate_limited');
      }
      await setTimeout(resetInMs + marginMs, undefined, { signal });
    }
  };
}
