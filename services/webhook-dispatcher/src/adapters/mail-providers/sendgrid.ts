import { createPublicKey, createVerify } from 'node:crypto';
import { z } from 'zod';
import {
  type MailProvider,
  type ProviderEvent,
  type ProviderRequest,
  RequestRefused,
} from '../../domain/outcomes/receive-events.ts';
import { assertFresh, eventOf, jsonOf, readEach } from './provider-request.ts';

/** Twilio SendGrid: the signed Event Webhook. */
export const sendgrid: MailProvider = {
  async read(request, { key }) {
    assertSigned(request, key ?? '');
    return {
      kind: 'events',
      events: readEach(jsonOf(z.array(z.unknown()), request.content), event, readEvent),
    };
  },
};

/** ECDSA with SHA-256 over the timestamp and the octets of the body. */
function assertSigned({ headers, content, now }: ProviderRequest, key: string): void {
  const signature = headers['x-twilio-email-event-webhook-signature'];
  const timestamp = headers['x-twilio-email-event-webhook-timestamp'];
  if (signature === undefined || timestamp === undefined) {
    throw new RequestRefused('signature_missing');
  }
  if (!isSigned([timestamp, content], signature, key)) {
    throw new RequestRefused('signature_wrong');
  }
  assertFresh(Number(timestamp) * 1_000, now);
}

function isSigned([timestamp, content]: [string, Buffer], signature: string, key: string): boolean {
  try {
    const publicKey = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' });
    return createVerify('sha256').update(timestamp).update(content).verify(publicKey, signature, 'base64');
  } catch {
    // The key is no point of the curve.
    return false;
  }
}

const event = z.object({
  event: z.string(),
  email: z.string(),
  timestamp: z.number(),
  type: z.string().nullish(),
  reason: z.string().nullish(),
  status: z.string().nullish(),
  bounce_classification: z.string().nullish(),
});

/** What SendGrid calls bounces that are not about the mailbox. */
const otherClasses: ReadonlySet<string> = new Set([
  'content',
  'frequency/volume too high',
  'reputation',
  'technical',
  'technical failure',
]);

function readEvent(given: z.output<typeof event>): ProviderEvent {
  const told = { email: given.email, at: new Date(given.timestamp * 1_000) };
  switch (given.event) {
    case 'delivered':
    case 'open':
    case 'click':
    case 'spamreport':
      return eventOf('delivered', told);
    case 'bounce':
      return eventOf('bounced', {
        ...told,
        code: given.status,
        text: given.reason,
        isSoft:
          given.type !== 'bounce' || otherClasses.has((given.bounce_classification ?? '').toLowerCase()),
      });
    case 'dropped':
      return { ignored: 'suppressed' };
    case 'deferred':
      return { ignored: 'not_final' };
    default:
      return { ignored: 'not_an_outcome' };
  }
}
