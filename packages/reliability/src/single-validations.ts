import { setTimeout as sleep } from 'node:timers/promises';
import { type Asked, ask, expectStatus, NeverAnswered, type Refusal } from './ask.ts';

/** A question about one address, and its outcome. */
export interface Question<Answer> {
  readonly email: string;
  /** Absent if no response arrived before the deadline. */
  readonly asked: Asked<Answer> | undefined;
  readonly refusals: readonly Refusal[];
}

export interface SingleAnswer {
  readonly key: string;
  readonly text: string;
  readonly result: string;
  readonly isCharged: boolean;
}

export interface Stream<Answer> {
  readonly questions: readonly Question<Answer>[];
  /** Returns when the first response after a given time arrived. */
  answeredSince(atMs: number): number | undefined;
  /** Sends nothing new, and waits until all pending requests are answered. */
  end(): Promise<void>;
}

export interface StreamOptions {
  readonly clients: number;
  /** The pause between two questions of one client. */
  readonly everyMs: number;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

/** Sends requests continuously; each client waits for its answer before it sends the next. */
export function openStream<Answer>(
  nextEmail: () => string,
  attempt: (email: string) => (signal: AbortSignal) => Promise<Answer>,
  { clients, everyMs, deadlineMs, signal }: StreamOptions,
): Stream<Answer> {
  const questions: Question<Answer>[] = [];
  let isEnding = false;
  async function askRepeatedly(): Promise<void> {
    while (!isEnding) {
      const email = nextEmail();
      try {
        const asked = await ask(attempt(email), { deadlineMs, signal });
        questions.push({ email, asked, refusals: asked.refusals });
      } catch (error) {
        if (!(error instanceof NeverAnswered)) throw error;
        questions.push({ email, asked: undefined, refusals: error.refusals });
      }
      await sleep(everyMs, undefined, { signal });
    }
  }
  const all = Promise.all(Array.from({ length: clients }, askRepeatedly));
  // The caller of `end` gets a rejection; until then, it must not count as unhandled.
  all.catch(() => undefined);
  return {
    questions,
    answeredSince: atMs =>
      questions
        .flatMap(({ asked }) => asked?.answeredAtMs ?? [])
        .filter(answeredAtMs => answeredAtMs >= atMs)
        .toSorted((one, other) => one - other)[0],
    async end() {
      isEnding = true;
      await all;
    },
  };
}

/** One validation through REST, with its own idempotency key. */
export function validateSingle(
  url: string,
  apiKey: string,
  email: string,
  key: string = crypto.randomUUID(),
) {
  return async (signal: AbortSignal): Promise<SingleAnswer & { readonly isReplayed: boolean }> => {
    const response = await fetch(`${url}/api/v1/validate-single-email`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({ email }),
      signal,
    });
    const text = await expectStatus(response, 200);
    const { result = '', credits_consumed: isCharged = false } = JSON.parse(text) as {
      readonly result?: string;
      readonly credits_consumed?: boolean;
    };
    const isReplayed = response.headers.get('idempotent-replayed') === 'true';
    return { key, text, result, isCharged, isReplayed };
  };
}
