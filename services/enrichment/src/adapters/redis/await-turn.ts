import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { RateLimiter } from '@mailproof/service-kit';
import type { OwnProviderPorts } from '../../domain/profile-provider/own-provider-source.ts';
import { ProviderFault } from '../../domain/profile-provider/profile-provider.ts';

/** The longest that a question waits for its turn, in milliseconds. */
const waitMsMax = 5_000;
/** The limiter says when the window moves; this much later it surely has. */
const marginMs = 5;

/** Keeps all replicas together within the rate that an account's provider takes. */
export function createAwaitTurn(limiter: RateLimiter): OwnProviderPorts['awaitTurn'] {
  return async (accountId, perSecond, signal) => {
    let waitedMs = 0;
    for (;;) {
      const { admitted, resetInMs } = await limiter.admit(
        `provider:${accountId}`,
        randomUUID(),
        perSecond,
        1_000,
      );
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
