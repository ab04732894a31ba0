import { useRef } from 'react';
import { asProblem, type ProblemError } from './problem.ts';

/**
 * Idempotency keys for requests that cost credits. A user who presses twice, or retries after a lost response, sends
 * the same key and pays once. Report every response to `answered`: after it, the same input is a new request.
 */
export function useIdempotencyKey(): {
  readonly keyOf: (...request: readonly unknown[]) => string;
  readonly answered: (error?: unknown) => void;
} {
  const last = useRef({ request: '', key: '' });
  return {
    keyOf(...request) {
      const text = JSON.stringify(request);
      if (last.current.request !== text) last.current = { request: text, key: newIdempotencyKey() };
      return last.current.key;
    },
    answered(error) {
      if (error === undefined || isFinal(asProblem(error))) last.current = { request: '', key: '' };
    },
  };
}

/**
 * Whether the outcome is final. Without a response, after a server error, or while the first attempt is still running,
 * the request may still succeed.
 */
function isFinal({ status, code }: ProblemError): boolean {
  return status !== undefined && status < 500 && code !== 'idempotency_key_in_use';
}

/** Returns a new key; requests sent with the same key are performed once. */
export function newIdempotencyKey(): string {
  // Unlike `crypto.randomUUID`, this function is also available on pages loaded without TLS.
  const octets = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(octets, octet => octet.toString(16).padStart(2, '0')).join('');
}
