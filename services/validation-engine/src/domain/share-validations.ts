import type { Clock } from './deadline.ts';
import type { Validate, Validation } from './validate-address.ts';

/** A validation under way, on behalf of whoever asked first. */
interface Running {
  readonly result: Promise<Validation>;
  readonly endsAtMs: number;
  readonly signal: AbortSignal;
}

/**
 * Validates an address once for all of an account's questions about it at the same time. A later question joins where
 * the answer comes within its own time; where the first asker goes away, the next one asks for itself.
 */
export function shareValidations(validate: Validate, clock: Clock): Validate {
  const underWay = new Map<string, Running>();

  function begin(key: string, running: Running): Promise<Validation> {
    underWay.set(key, running);
    const end = () => {
      if (underWay.get(key) === running) {
        underWay.delete(key);
      }
    };
    running.result.then(end, end);
    return running.result;
  }

  return async (email, deadlineMs, signal, accountId) => {
    // Outcomes that an account has reported count for it alone, so that answers are not shared between accounts.
    const key = `${accountId ?? ''} ${email.normalised}`;
    const endsAtMs = clock.nowMs() + deadlineMs;
    for (;;) {
      const first = underWay.get(key);
      if (first === undefined || first.endsAtMs > endsAtMs || first.signal.aborted) {
        const remainingMs = Math.max(0, endsAtMs - clock.nowMs());
        return begin(key, { result: validate(email, remainingMs, signal, accountId), endsAtMs, signal });
      }
      const validation = await first.result;
      if (!first.signal.aborted) {
        return validation;
      }
    }
  };
}
