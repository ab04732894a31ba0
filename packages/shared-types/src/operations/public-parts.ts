import { z } from 'zod';
import type { ResponseHeader } from '../operation.ts';

export const noParams = z.strictObject({});
export const noQuery = z.strictObject({});
export const noBody = z.undefined();

/** The body of an operation that names a `bodyMediaType`; reading on is what lets the next octets in. */
export const streamedBody = z.custom<AsyncIterable<Uint8Array>>(
  body => typeof body === 'object' && body !== null && Symbol.asyncIterator in body,
);

/** The answer of an operation that names a `mediaType`: its text, piece by piece. */
export const streamedAnswer = z.custom<AsyncIterable<string>>(
  answer => typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer,
);

/** A whole number of credits that exists: never negative. */
export const credits = z.int().nonnegative();

/** The headers that every authenticated answer of the public interface carries. */
export const rateLimitHeaders = {
  'x-ratelimit-limit': {
    type: 'integer',
    description: 'Requests that the account may make in any one second.',
  },
  'x-ratelimit-remaining': { type: 'integer', description: 'Requests left in the current window.' },
  'x-ratelimit-reset': {
    type: 'integer',
    format: 'int64',
    description: 'When the oldest counted request leaves the window, in Unix milliseconds (not seconds).',
  },
} as const satisfies Readonly<Record<string, ResponseHeader>>;

/** The headers of a successful answer that knows the balance. */
export const publicHeaders = {
  ...rateLimitHeaders,
  'x-credits-remaining': {
    type: 'integer',
    description: 'Credits left after this request; held credits are not among them.',
  },
} as const satisfies Readonly<Record<string, ResponseHeader>>;
