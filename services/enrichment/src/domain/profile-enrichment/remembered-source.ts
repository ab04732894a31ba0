import { createHash } from 'node:crypto';
import type { SuppressionCheck } from '../privacy/suppression.ts';
import { cleanProfile, isFound } from './clean-profile.ts';
import { recognitionOf } from './enrich-profile.ts';
import type { ProfileQuestion, ProfileSource, SourceAnswer } from './profile-source.ts';

/** Answers of a source that are kept for a while. */
export interface RememberedAnswers {
  /** The answer that is remembered and not over yet. */
  get(question: ProfileQuestion, keyHash: Uint8Array, now: Date): Promise<SourceAnswer | undefined>;
  put(question: ProfileQuestion, keyHash: Uint8Array, answer: SourceAnswer, expiresAt: Date): Promise<void>;
}

export interface RememberedSourceOptions {
  readonly source: ProfileSource;
  readonly answers: RememberedAnswers;
  readonly suppression: Pick<SuppressionCheck, 'isSuppressed'>;
  /** Whose answer it is: questions of the same place share one flight. Answers nothing where the source is not asked. */
  readonly placeOf: (question: ProfileQuestion) => Promise<string | undefined>;
  readonly foundForMs: number;
  readonly notFoundForMs: number;
  /** Time in which the source answers, however many wait for it, in milliseconds. */
  readonly flightMsMax: number;
  readonly now: () => Date;
}

/** What a profile's answers are remembered by: the key itself would name whose profile it is. */
export function profileKeyHash(profileKey: string): Uint8Array {
  return createHash('sha256').update(profileKey).digest();
}

/**
 * Asks a source once for all who ask about the same profile at the same time, and remembers what it said, found or not.
 * A failure is not remembered. A caller that goes away leaves the flight to those who still wait.
 */
export function rememberedSource(options: RememberedSourceOptions): ProfileSource {
  const { source, answers, placeOf, now } = options;
  const flights = new Map<string, Promise<SourceAnswer | undefined>>();

  /** What is remembered, or else what the source says: as one, so that nobody asks again between the two. */
  async function look(question: ProfileQuestion, keyHash: Uint8Array): Promise<SourceAnswer | undefined> {
    const known = await answers.get(question, keyHash, now());
    return known && isRecent(known, question) ? known : fly(question, keyHash);
  }

  async function fly(question: ProfileQuestion, keyHash: Uint8Array): Promise<SourceAnswer | undefined> {
    // Not the caller's own signal, since others may wait for the same answer.
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
      const place = await placeOf(question);
      if (place === undefined) {
        return undefined;
      }
      const name = `${place} ${question.profile.profileKey}`;
      const keyHash = profileKeyHash(question.profile.profileKey);
      for (;;) {
        const joined = flights.get(name);
        const flight = joined ?? look(question, keyHash).finally(() => flights.delete(name));
        flights.set(name, flight);
        const answer = await untilAborted(flight, question.signal);
        // Whoever began it may have been content with an older answer than we are.
        if (!joined || !answer || isRecent(answer, question)) {
          return answer;
        }
      }
    },
  };
}

function isRecent({ saidAt }: SourceAnswer, { notBefore }: ProfileQuestion): boolean {
  return notBefore === undefined || saidAt >= notBefore;
}

/** Nothing is kept of who asked to be left out, be it since the question was asked. */
async function keep(
  { answers, suppression, foundForMs, notFoundForMs }: RememberedSourceOptions,
  question: ProfileQuestion,
  keyHash: Uint8Array,
  said: SourceAnswer,
): Promise<SourceAnswer> {
  const { profileKey } = question.profile;
  const answer = said.outcome === 'found' ? { ...said, profile: cleanProfile(said.profile) } : said;
  const isKnown = answer.outcome === 'found' && isFound(answer.profile);
  const kept: SourceAnswer = isKnown ? answer : { outcome: 'notFound', saidAt: answer.saidAt };
  const recognition =
    kept.outcome === 'found'
      ? { profileKey, sameAs: kept.sameAs, ...recognitionOf(kept.profile) }
      : { profileKey };
  if (await suppression.isSuppressed(recognition)) {
    return { outcome: 'notFound', saidAt: answer.saidAt };
  }
  const forMs = isKnown ? foundForMs : notFoundForMs;
  if (forMs > 0) {
    await answers.put(question, keyHash, kept, new Date(answer.saidAt.getTime() + forMs));
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
