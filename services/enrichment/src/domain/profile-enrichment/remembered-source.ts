import { createHash } from 'node:crypto';
import type { SuppressionCheck } from '../privacy/subjects.ts';
import { recognitionOf } from './enrich-profile.ts';
import {
  cleanProfile,
  isFound,
  type ProfileQuestion,
  type ProfileSource,
  type SourceAnswer,
} from './profile-source.ts';

/** Stores answers of a source for a while. */
export interface RememberedAnswers {
  /** Returns the remembered answer if it has not expired. */
  get(question: ProfileQuestion, keyHash: Uint8Array, now: Date): Promise<SourceAnswer | undefined>;
  put(question: ProfileQuestion, keyHash: Uint8Array, answer: SourceAnswer, expiresAt: Date): Promise<void>;
}

export interface RememberedSourceOptions {
  readonly source: ProfileSource;
  readonly answers: RememberedAnswers;
  readonly suppression: Pick<SuppressionCheck, 'isSuppressed'>;
  /**
   * Returns the scope of an answer: questions of the same scope share one request. Undefined if the source must not be
   * queried.
   */
  readonly scopeOf: (question: ProfileQuestion) => Promise<string | undefined>;
  readonly foundForMs: number;
  readonly notFoundForMs: number;
  /** How long the source may take to answer, however many callers wait, in milliseconds. */
  readonly flightMsMax: number;
  readonly now: () => Date;
}

/** The key under which a profile's answers are stored: the profile key itself would reveal the person. */
export function profileKeyHash(profileKey: string): Uint8Array {
  return createHash('sha256').update(profileKey).digest();
}

/**
 * Queries a source once for all concurrent requests about the same profile, and remembers the answer, found or not. A
 * failure is not remembered. A caller that goes away leaves the request running for those still waiting.
 */
export function rememberedSource(options: RememberedSourceOptions): ProfileSource {
  const { source, answers, scopeOf, now } = options;
  const flights = new Map<string, Promise<SourceAnswer | undefined>>();

  /** Returns the remembered answer, or else the source's: in one step, so that no other request can come in between. */
  async function look(question: ProfileQuestion, keyHash: Uint8Array): Promise<SourceAnswer | undefined> {
    const known = await answers.get(question, keyHash, now());
    return known && isRecent(known, question) ? known : fly(question, keyHash);
  }

  async function fly(question: ProfileQuestion, keyHash: Uint8Array): Promise<SourceAnswer | undefined> {
    // Do not use the caller's signal, since others may wait for the same answer.
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(new Error('deadline exceeded')), options.flightMsMax);
    try {
      const answer = await source.find({ ...question, signal: deadline.signal });
      return answer && (await keep(options, question, keyHash, answer));
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    name: source.name,
    async find(question) {
      const scope = await scopeOf(question);
      if (scope === undefined) {
        return undefined;
      }
      const name = `${scope} ${question.profile.profileKey}`;
      const keyHash = profileKeyHash(question.profile.profileKey);
      for (;;) {
        const joined = flights.get(name);
        const flight = joined ?? look(question, keyHash).finally(() => flights.delete(name));
        flights.set(name, flight);
        const answer = await untilAborted(flight, question.signal);
        // The request that started it may accept an older answer than this one.
        if (!joined || !answer || isRecent(answer, question)) {
          return answer;
        }
      }
    },
  };
}

function isRecent({ answeredAt }: SourceAnswer, { notBefore }: ProfileQuestion): boolean {
  return notBefore === undefined || answeredAt >= notBefore;
}

/** Stores nothing about a suppressed person, even one suppressed since the question was asked. */
async function keep(
  { answers, suppression, foundForMs, notFoundForMs }: RememberedSourceOptions,
  question: ProfileQuestion,
  keyHash: Uint8Array,
  said: SourceAnswer,
): Promise<SourceAnswer> {
  const { profileKey } = question.profile;
  const answer = said.outcome === 'found' ? { ...said, profile: cleanProfile(said.profile) } : said;
  const isKnown = answer.outcome === 'found' && isFound(answer.profile);
  const kept: SourceAnswer = isKnown ? answer : { outcome: 'notFound', answeredAt: answer.answeredAt };
  const recognition =
    kept.outcome === 'found'
      ? { profileKey, sameAs: kept.sameAs, ...recognitionOf(kept.profile) }
      : { profileKey };
  if (await suppression.isSuppressed(recognition)) {
    return { outcome: 'notFound', answeredAt: answer.answeredAt };
  }
  const licensedMs = (answer.outcome === 'found' ? answer.keptForMs : undefined) ?? foundForMs;
  const forMs = isKnown ? Math.min(foundForMs, licensedMs) : notFoundForMs;
  if (forMs > 0) {
    await answers.put(question, keyHash, kept, new Date(answer.answeredAt.getTime() + forMs));
  }
  return kept;
}

function untilAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason as Error);
    if (signal.aborted) {
      giveUp();
    }
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp));
  });
}
