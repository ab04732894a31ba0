import { parseEmailAddress } from '@mailproof/shared-types';
import { composeValidation } from '../src/compose/validation.ts';
import { loadValidationConfig } from '../src/config.ts';
import { keyedRandom } from '../src/domain/smtp/made-up-recipients.ts';
import type { Prober } from './prober.ts';

/** The service uses the same made-up recipients of a domain for a week; so does the benchmark, with any key. */
const hashKey = new TextEncoder().encode('a key for benchmarks, long enough to be one');

/** The engine as the service composes it, with empty caches. Only this function depends on the engine's structure. */
export function createEngineProber(settings: Readonly<Record<string, string>>, deadlineMs: number): Prober {
  // The setting has a limit for waiting customers; in a benchmark, the order's own deadline applies.
  const config = { ...loadValidationConfig(settings), VALIDATION_DEADLINE_MS: deadlineMs };
  const { validate, close } = composeValidation(config, {
    randomOf: domain => keyedRandom(hashKey, domain, Date.now()),
  });
  return {
    async probe(address) {
      const parsed = parseEmailAddress(address);
      if (!parsed.ok) {
        throw new Error(`The benchmark has an address that is none: ${address}`);
      }
      const { verdict } = await validate(
        parsed.value,
        deadlineMs,
        new AbortController().signal,
        undefined,
        // The benchmark's list is shuffled, so that any domain may come again.
        { mayHaveMore: () => true },
      );
      return { result: verdict.result, reason: verdict.reason };
    },
    close,
  };
}
