import { z } from 'zod';
import type { ResponseHeader } from '../operation.ts';

/** The body of an operation with a `bodyMediaType`; more octets are accepted as the reader consumes them. */
export const streamedBody = z.custom<AsyncIterable<Uint8Array>>(
  body => typeof body === 'object' && body !== null && Symbol.asyncIterator in body,
);

/** The answer of an operation with a `mediaType`: its text or its octets, piece by piece. */
export const streamedAnswer = z.custom<AsyncIterable<string | Uint8Array>>(
  answer => typeof answer === 'object' && answer !== null && Symbol.asyncIterator in answer,
);

/** A whole, non-negative number of credits. */
export const credits = z.int().nonnegative();

/** The headers of every authenticated answer of the public interface. */
export const rateLimitHeaders = {
  'x-ratelimit-limit': {
    type: 'integer',
    description: 'Requests that the account can make per second.',
  },
  'x-ratelimit-remaining': { type: 'integer', description: 'Requests left in the current window.' },
  'x-ratelimit-reset': {
    type: 'integer',
    format: 'int64',
    description: 'When the oldest counted request leaves the window, in Unix milliseconds (not seconds).',
  },
} as const satisfies Readonly<Record<string, ResponseHeader>>;

/** The headers of a successful answer that includes the balance. */
export const publicHeaders = {
  ...rateLimitHeaders,
  'x-credits-remaining': {
    type: 'integer',
    description: 'Credits left after this request, excluding held credits.',
  },
} as const satisfies Readonly<Record<string, ResponseHeader>>;
