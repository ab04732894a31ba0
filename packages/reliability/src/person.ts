import type { Customer } from '@mailproof/dev-house';
import { type Asked, ask, expectStatus, type Refusal } from './ask.ts';

export type Answer = Readonly<Record<string, unknown>>;

/** A user of the application's API who retries unsuccessful requests. */
export interface Person {
  get(path: string): Promise<Answer>;
  /** Reads the text at a path. */
  read(path: string): Promise<string>;
  /** Sends a request with its own `Idempotency-Key`. */
  send(method: 'POST' | 'PUT', path: string, status: number, body?: unknown): Promise<Answer>;
  /** All attempts of these requests that did not get the expected response. */
  readonly refusals: readonly Refusal[];
}

const signInDeadlineMs = 60_000;

/** Signs a user in. */
export async function signInPerson(
  url: string,
  { email, password }: Customer,
  signal: AbortSignal,
): Promise<(deadlineMs: number, signal: AbortSignal) => Person> {
  const { answer: cookie } = await ask(
    async attemptSignal => {
      const response = await fetch(`${url}/app/v1/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
        signal: attemptSignal,
      });
      await expectStatus(response, 200);
      return response.headers
        .getSetCookie()
        .map(line => line.slice(0, line.indexOf(';')))
        .join('; ');
    },
    { deadlineMs: signInDeadlineMs, signal },
  );
  return (deadlineMs, of) => personWith(`${url}/app/v1`, cookie, deadlineMs, of);
}

function personWith(base: string, cookie: string, deadlineMs: number, signal: AbortSignal): Person {
  const refusals: Refusal[] = [];
  async function request(path: string, status: number, init: RequestInit = {}): Promise<string> {
    const headers = { cookie, ...(init.headers as Record<string, string> | undefined) };
    const asked: Asked<string> = await ask(
      async attemptSignal =>
        expectStatus(await fetch(base + path, { ...init, headers, signal: attemptSignal }), status),
      { deadlineMs, signal },
    );
    refusals.push(...asked.refusals);
    return asked.answer;
  }
  return {
    refusals,
    read: path => request(path, 200),
    get: async path => JSON.parse(await request(path, 200)) as Answer,
    async send(method, path, status, body) {
      const isText = typeof body === 'string';
      const headers = {
        'idempotency-key': crypto.randomUUID(),
        ...(body !== undefined && { 'content-type': isText ? 'text/csv' : 'application/json' }),
      };
      const text = await request(path, status, {
        method,
        headers,
        ...(body !== undefined && { body: isText ? body : JSON.stringify(body) }),
      });
      return JSON.parse(text) as Answer;
    },
  };
}
