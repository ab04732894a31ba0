import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { RateLimiter } from '@mailproof/shared-types';
import { ProviderFault } from '../../domain/profile-provider/profile-provider.ts';

/** The maximum time a question waits for its turn, in milliseconds. */
const waitMsMax = 3_000;
/** A safety margin after the time at which the limiter's window moves. */
const marginMs = 5;

/** Keeps all replicas together within the permitted request rate of a provider or host. */
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
