import { useRef } from 'react';
import { newIdempotencyKey } from './idempotency-key.ts';
import { asProblem, type ProblemError } from './problem.ts';

/**
 * Keys for requests that cost: whoever presses twice, or again after an answer was lost, sends the same one and pays once.
 * `answered` has to be told of every answer: after one the same request is a new request.
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

/** Without an answer, after a fault of the server, or while the first attempt goes on, it may be done all the same. */
function isFinal({ status, code }: ProblemError): boolean {
  return status !== undefined && status < 500 && code !== 'idempotency_key_in_use';
}
