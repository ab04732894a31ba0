import { type Clock, type Deadline, deadlineAfter, isOver } from '../../domain/deadline.ts';
import type { DnsAnswer } from '../../domain/dns/mail-dns.ts';
import { type CacheLimits, createAnswerCache } from './answer-cache.ts';
import { normaliseName } from './name.ts';
import type { RecordContents, RecordLookup, RecordType } from './record-lookup.ts';

const limitsDefault: CacheLimits = { entriesMax: 50_000, octetsMax: 32 * 1_024 * 1_024 };

/** Ends a shared question in any case, well after all tries of any client. */
const questionTimeoutMs = 60_000;

/** Failures are remembered so that they do not make for more questions (RFC 9520 section 3.2), but not as facts. */
const failureLifetimeSeconds = { timeout: 1, malformed: 1, servfail: 5, refused: 5 } as const;

const timedOut = { kind: 'failure', failure: 'timeout' } as const;

/** A question under way, and those who wait for it. */
interface SharedQuestion {
  readonly answer: Promise<DnsAnswer<unknown>>;
  readonly cancellation: AbortController;
  waiting: number;
}

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
  const underWay = new Map<string, SharedQuestion>();

  function begin(key: string, name: string, type: RecordType): SharedQuestion {
    const cancellation = new AbortController();
    const { signal } = cancellation;
    const answer = lookup.lookUp(name, type, deadlineAfter(clock, questionTimeoutMs, signal));
    const question: SharedQuestion = { answer, cancellation, waiting: 0 };
    underWay.set(key, question);
    const end = () => forget(key, question);
    void answer
      .then(heard => {
        // A cancelled question says nothing about the name.
        if (!signal.aborted) {
          cache.keep(key, heard, lifetimeOf(heard));
        }
      }, end)
      .then(end);
    return question;
  }

  function forget(key: string, question: SharedQuestion): void {
    if (underWay.get(key) === question) {
      underWay.delete(key);
    }
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
      if (isOver(deadline)) {
        return timedOut;
      }
      const question = underWay.get(key) ?? begin(key, plain, type);
      const cancel = () => {
        // Whoever comes next must not join a question that is being cancelled.
        forget(key, question);
        question.cancellation.abort();
      };
      return (await waitFor(question, deadline, cancel)) as Answer;
    },
  };
}

function waitFor(
  question: SharedQuestion,
  deadline: Deadline,
  cancel: () => void,
): Promise<DnsAnswer<unknown>> {
  question.waiting += 1;
  return new Promise((resolve, reject) => {
    let here = true;
    const leave = (settle: () => void) => {
      if (here) {
        here = false;
        clearTimeout(timer);
        deadline.signal.removeEventListener('abort', giveUp);
        settle();
        question.waiting -= 1;
        if (question.waiting === 0) {
          cancel();
        }
      }
    };
    const giveUp = () => leave(() => resolve(timedOut));
    const timer = setTimeout(giveUp, deadline.remainingMs());
    deadline.signal.addEventListener('abort', giveUp, { once: true });
    question.answer.then(
      answer => leave(() => resolve(answer)),
      error => leave(() => reject(error)),
    );
  });
}

function lifetimeOf(answer: DnsAnswer<unknown>): number {
  return answer.kind === 'failure' ? failureLifetimeSeconds[answer.failure] : (answer.ttlSeconds ?? 0);
}
