import { z } from 'zod';
import type { MailProvider, ProviderEvent } from '../../domain/outcomes/receive-events.ts';
import { eventOf, jsonOf } from './provider-request.ts';
import type { SnsTopic } from './sns-topic.ts';

/** Amazon SES: notifications and published events, which it sends through an SNS topic. */
export function createAmazonSes(topic: SnsTopic): MailProvider {
  return {
    async read({ content, now, signal }, { key }) {
      const message = await topic.open(content, key ?? '', now, signal);
      switch (message.Type) {
        case 'SubscriptionConfirmation':
          await topic.confirm(message, signal);
          return { kind: 'subscribed' };
        case 'UnsubscribeConfirmation':
          return { kind: 'events', events: [{ ignored: 'not_an_outcome' }] };
        default:
          return { kind: 'events', events: readNotification(message.Message) };
      }
    },
  };
}

const at = z.coerce.date();
const emails = z.array(z.string());

const notification = z
  .object({ notificationType: z.string().nullish(), eventType: z.string().nullish() })
  .transform(({ notificationType, eventType }) => notificationType ?? eventType ?? '');
const bounce = z.object({
  bounce: z.object({
    bounceType: z.string(),
    bounceSubType: z.string(),
    timestamp: at,
    bouncedRecipients: z.array(
      z.object({
        emailAddress: z.string(),
        status: z.string().nullish(),
        diagnosticCode: z.string().nullish(),
      }),
    ),
  }),
});
const complaint = z.object({
  complaint: z.object({
    complaintSubType: z.string().nullish(),
    timestamp: at,
    complainedRecipients: z.array(z.object({ emailAddress: z.string() })),
  }),
});
const delivery = z.object({ delivery: z.object({ timestamp: at, recipients: emails }) });
const opened = z.object({ open: z.object({ timestamp: at }), mail: z.object({ destination: emails }) });
const clicked = z.object({ click: z.object({ timestamp: at }), mail: z.object({ destination: emails }) });

function readNotification(text: string): ProviderEvent[] {
  // When event publishing is set up, SES sends a sentence that is no JSON.
  if (!text.trimStart().startsWith('{')) {
    return [{ ignored: 'not_an_outcome' }];
  }
  switch (jsonOf(notification, text)) {
    case 'Bounce':
      return readBounce(jsonOf(bounce, text).bounce);
    case 'Delivery': {
      const { recipients, timestamp } = jsonOf(delivery, text).delivery;
      return recipients.map(email => eventOf('delivered', { email, at: timestamp }));
    }
    case 'Complaint': {
      const { complaintSubType, complainedRecipients, timestamp } = jsonOf(complaint, text).complaint;
      return isSuppressed(complaintSubType)
        ? [{ ignored: 'suppressed' }]
        : ofOne(
            complainedRecipients.map(each => each.emailAddress),
            timestamp,
          );
    }
    case 'Open': {
      const { open, mail } = jsonOf(opened, text);
      return ofOne(mail.destination, open.timestamp);
    }
    case 'Click': {
      const { click, mail } = jsonOf(clicked, text);
      return ofOne(mail.destination, click.timestamp);
    }
    case 'DeliveryDelay':
      return [{ ignored: 'not_final' }];
    default:
      return [{ ignored: 'not_an_outcome' }];
  }
}

/** SES names all recipients of the mail, or all at the provider that complains, although one of them has done it. */
function ofOne(recipients: readonly string[], timestamp: Date): ProviderEvent[] {
  const [email, ...others] = recipients;
  return email === undefined || others.length > 0
    ? [{ ignored: 'several_recipients' }]
    : [eventOf('delivered', { email, at: timestamp })];
}

function isSuppressed(subType: string | null | undefined): boolean {
  return /suppress|^unsubscribedrecipient$/i.test(subType ?? '');
}

/** What SES says itself, where the mail host's words are missing. */
const codesBySubType: Readonly<Record<string, string>> = { NoEmail: '5.1.1', MailboxFull: '5.2.2' };

function readBounce({
  bounceType,
  bounceSubType,
  timestamp,
  bouncedRecipients,
}: z.output<typeof bounce>['bounce']): ProviderEvent[] {
  return bouncedRecipients.map(({ emailAddress, status, diagnosticCode }) =>
    isSuppressed(bounceSubType)
      ? { ignored: 'suppressed' as const }
      : eventOf('bounced', {
          email: emailAddress,
          at: timestamp,
          code: status ?? (diagnosticCode ? undefined : codesBySubType[bounceSubType]),
          text: diagnosticCode,
          isSoft: bounceType !== 'Permanent',
        }),
  );
}
