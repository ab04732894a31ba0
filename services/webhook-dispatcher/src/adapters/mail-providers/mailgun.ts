import { createHmac } from 'node:crypto';
import type { OutcomeSourceId } from '@mailproof/shared-types';
import { z } from 'zod';
import {
  type MailProvider,
  type ProviderEvent,
  type ProviderRequest,
  RequestRefused,
} from '../../domain/outcomes/receive-events.ts';
import { assertFresh, eventOf, isEqual, jsonOf } from './provider-request.ts';

/** Remembers with which event a signature came, for as long as it is accepted. False if it came with another one before. */
export type RememberSignature = (
  sourceId: OutcomeSourceId,
  signature: string,
  event: string,
) => Promise<boolean>;

/** Mailgun: webhooks, one event a request. */
export function createMailgun(remember: RememberSignature): MailProvider {
  return {
    async read(request, { key, sourceId }) {
      const { signature, ...body } = jsonOf(signedBody, request.content);
      assertSigned(signature, key ?? '', request);
      const parsed = z.safeParse(event, body['event-data']);
      if (!parsed.success) {
        return { kind: 'events', events: [{ ignored: 'not_readable' }] };
      }
      // The signature does not include the event: a copied one must not sign another event. What we read of the event is
      // compared, because an attempt to deliver it again may write the rest in another way.
      if (!(await remember(sourceId, signature.signature, JSON.stringify(parsed.data)))) {
        throw new RequestRefused('signature_reused');
      }
      return { kind: 'events', events: [readEvent(parsed.data)] };
    },
  };
}

const signedBody = z.object({
  signature: z.object({
    timestamp: z.union([z.string(), z.number()]).transform(String),
    token: z.string().max(200),
    signature: z.string().regex(/^[\da-f]{64}$/i),
  }),
  'event-data': z.unknown(),
});

/** HMAC-SHA-256 over the timestamp and a random token, in hexadecimal. */
function assertSigned(
  { timestamp, token, signature }: z.output<typeof signedBody>['signature'],
  key: string,
  { now }: ProviderRequest,
): void {
  const expected = createHmac('sha256', key)
    .update(timestamp + token)
    .digest();
  if (!isEqual(Buffer.from(signature, 'hex'), expected)) {
    throw new RequestRefused('signature_wrong');
  }
  assertFresh(Number(timestamp) * 1_000, now);
}

const event = z.object({
  event: z.string(),
  recipient: z.string(),
  timestamp: z.number(),
  severity: z.string().nullish(),
  reason: z.string().nullish(),
  'delivery-status': z
    .object({
      code: z.number().nullish(),
      'enhanced-code': z.string().nullish(),
      message: z.string().nullish(),
      'mx-host': z.string().nullish(),
      'bounce-type': z.string().nullish(),
    })
    .nullish(),
});

/** Why Mailgun gives up, where the last reply of the mail host does not have to be about the mailbox. */
const otherReasons: ReadonlySet<string> = new Set(['old', 'espblock', 'greylisted', 'throttled']);

function readEvent(given: z.output<typeof event>): ProviderEvent {
  const told = { email: given.recipient, at: new Date(given.timestamp * 1_000) };
  switch (given.event) {
    case 'delivered':
    case 'opened':
    case 'clicked':
    case 'complained':
      return eventOf('delivered', told);
    case 'failed':
      return readFailure(given, told);
    default:
      return { ignored: 'not_an_outcome' };
  }
}

function readFailure(
  { severity, reason, 'delivery-status': status }: z.output<typeof event>,
  told: { readonly email: string; readonly at: Date },
): ProviderEvent {
  if (severity !== 'permanent') {
    return { ignored: 'not_final' };
  }
  if (reason?.startsWith('suppress-')) {
    return { ignored: 'suppressed' };
  }
  const code = status?.code ?? 0;
  return eventOf('bounced', {
    ...told,
    // Codes from 600 are Mailgun's own.
    code: status?.['enhanced-code'] || (code >= 400 && code < 600 ? code : undefined),
    text: status?.message,
    host: status?.['mx-host'],
    isSoft: status?.['bounce-type'] === 'soft' || otherReasons.has(reason ?? ''),
  });
}
