import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { limits } from '../../limits.ts';
import { streamedBody } from '../public-parts.ts';

const count = z.int().nonnegative();

/** The last part of a source’s URL: 32 random octets in base64url. */
export const outcomeSourceToken = z
  .string()
  .regex(/^[\w-]{43}$/, 'must be the last part of the URL of an outcome source');

/** What became of the events of one request. */
export const receivedOutcomes = z
  .object({
    recorded: count.describe('New outcomes.'),
    repeated: count.describe('Outcomes already reported by this account; they count once.'),
    ignored: count.describe('Events that are not recorded; the outcome source shows the reasons.'),
  })
  .meta({ id: 'ReceivedOutcomes' });

/** Takes the events of a mail provider. Providers call it, not programs, so that the SDKs have no method for it. */
export const receiveOutcomes = defineOperation({
  id: 'receive-outcomes',
  method: 'post',
  path: '/inbound/v1/:token',
  summary: 'Receive outcomes of a mail provider',
  tag: 'Outcomes',
  description: `The URL of an outcome source, which you enter at the provider. The body is what the provider sends, at most ${limits.outcomeEventsBytesMax / 1_048_576} MiB. It is verified with the verification key of the source. The response has status 200 once its outcomes are recorded; a provider repeats a request after any other one, and each outcome counts once.`,
  answeredBy: 'gateway',
  access: { kind: 'secretUrl' },
  params: z.strictObject({ token: outcomeSourceToken }),
  body: streamedBody,
  bodyBytesMax: limits.outcomeEventsBytesMax,
  bodyMediaType: 'application/json',
  // Amazon SNS sends JSON as text.
  otherBodyMediaTypes: ['text/plain', 'message/rfc822', 'multipart/report'],
  bodyIsUndecoded: true,
  success: { status: 200, description: 'The events are recorded or ignored.', schema: receivedOutcomes },
  repeatable: true,
  problems: [
    'outcome_source_not_found',
    'outcome_signature_not_valid',
    'too_many_requests',
    'too_many_failed_attempts',
  ],
});
