import { z } from 'zod';
import type { MailProvider, ProviderEvent } from '../../domain/outcomes/receive-events.ts';
import { assertBasicAuth, eventOf, jsonOf, readEach } from './provider-request.ts';

/** Postmark: webhooks, one event a request, without a signature. The URL is the secret, and basic authentication. */
export const postmark: MailProvider = {
  async read({ headers, content }, { key }) {
    assertBasicAuth(headers, key);
    return { kind: 'events', events: readEach([jsonOf(z.looseObject({}), content)], event, readEvent) };
  },
};

const at = z.coerce.date();

const event = z.union([
  z.object({ RecordType: z.literal('Delivery'), Recipient: z.string(), DeliveredAt: at }),
  z.object({ RecordType: z.enum(['Open', 'Click']), Recipient: z.string(), ReceivedAt: at }),
  z.object({ RecordType: z.literal('SpamComplaint'), Email: z.string(), BouncedAt: at }),
  z.object({
    RecordType: z.literal('Bounce'),
    Email: z.string(),
    BouncedAt: at,
    Type: z.string(),
    Details: z.string().nullish(),
  }),
  z.object({ RecordType: z.enum(['SubscriptionChange', 'Inbound', 'SMTPApiError']) }),
]);

function readEvent(given: z.output<typeof event>): ProviderEvent {
  switch (given.RecordType) {
    case 'Delivery':
      return eventOf('delivered', { email: given.Recipient, at: given.DeliveredAt });
    case 'Open':
    case 'Click':
      return eventOf('delivered', { email: given.Recipient, at: given.ReceivedAt });
    case 'SpamComplaint':
      return eventOf('delivered', { email: given.Email, at: given.BouncedAt });
    case 'Bounce':
      return readBounce(given);
    default:
      return { ignored: 'not_an_outcome' };
  }
}

/** The types of bounces of mail that a mail host has refused, and whether they can be about the mailbox. */
const isSoftByType: Readonly<Record<string, boolean>> = {
  HardBounce: false,
  SoftBounce: true,
  Transient: true,
  DnsError: true,
  SpamNotification: true,
  VirusNotification: true,
  ChallengeVerification: true,
  Blocked: true,
  DMARCPolicy: true,
  Unknown: true,
};

function readBounce({
  Type,
  Email,
  BouncedAt,
  Details,
}: Extract<z.output<typeof event>, { RecordType: 'Bounce' }>): ProviderEvent {
  if (Type === 'ManuallyDeactivated') {
    return { ignored: 'suppressed' };
  }
  // The others are automatic replies, changes of subscriptions and mistakes of the sender.
  return Object.hasOwn(isSoftByType, Type)
    ? eventOf('bounced', { email: Email, at: BouncedAt, text: Details, isSoft: isSoftByType[Type] === true })
    : { ignored: 'not_an_outcome' };
}
