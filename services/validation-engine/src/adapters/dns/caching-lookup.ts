import type { Clock, Deadline } from '../../domain/deadline.ts';
import type { DnsAnswer } from '../../domain/dns/mail-dns.ts';
import { createSingleFlight } from '../../domain/single-flight.ts';
import { type CacheLimits, createAnswerCache } from './answer-cache.ts';
import { normaliseName } from './name.ts';
import type { RecordContents, RecordLookup, RecordType } from './record-lookup.ts';

const limitsDefault: CacheLimits = { entriesMax: 50_000, octetsMax: 32 * 1_024 * 1_024 };

/** Ends a shared question in any case, well after all tries of any client. */
const questionTimeoutMs = 60_000;

/** Failures are remembered so that they do not make for more questions (RFC 9520 section 3.2), but not as facts. */
const failureLifetimeSeconds = { timeout: 1, malformed: 1, servfail: 5, refused: 5 } as const;

const timedOut = { kind: 'failure', failure: 'timeout' } as const;

/**
 * Answers from memory where it can, and asks once for all who want to know the same at the same time. Each of them
 * keeps their own deadline; the question itself ends early only when nobody waits for it any more.
 */
export function createCachingLookup(
  lookup: RecordLookup,
  clock: Clock,
  limits: CacheLimits = limitsDefault,
): RecordLookup {
  const cache = createAnswerCache(clock, limits);
  const questions = createSingleFlight<DnsAnswer<unknown>>(clock, questionTimeoutMs);

  async function ask(key: string, name: string, type: RecordType, deadline: Deadline) {
    const answer = await lookup.lookUp(name, type, deadline);
    // A cancelled question says nothing about the name.
    if (!deadline.signal.aborted) {
      cache.keep(key, answer, lifetimeOf(answer));
    }
    return answer;
  }

  return {
    async lookUp(name, type, deadline) {
      const plain = normaliseName(name);
      // The type is part of the key, so that what is found under it has the records of this type.
      const key = `${type} ${plain}`;
      type Answer = DnsAnswer<RecordContents[typeof type]>;
      const kept = cache.get(key) as Answer | undefined;
      if (kept !== undefined) {
        return kept;
      }
      const answer = await questions.join(key, deadline, shared => ask(key, plain, type, shared));
      return (answer ?? timedOut) as Answer;
    },
  };
}

function lifetimeOf(answer: DnsAnswer<unknown>): number {
  return answer.kind === 'failure' ? failureLifetimeSeconds[answer.failure] : (answer.ttlSeconds ?? 0);
}
