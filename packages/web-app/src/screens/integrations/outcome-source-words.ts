import type { OutcomeKind } from '@mailproof/shared-types';
import type { Schema } from '../../api/client.ts';
import type { StateLook } from '../../design/looks.ts';

export type OutcomeSource = Schema['OutcomeSource'];
export type OutcomeProvider = OutcomeSource['provider'];

/** What a user sees and does to connect a provider. */
interface ProviderWords {
  readonly name: string;
  readonly key: {
    readonly label: string;
    readonly hint: string;
    readonly isRequired: boolean;
    /** False if the key is no secret, and can be shown while it is entered. */
    readonly isSecret: boolean;
  };
  /** What to do at the provider once the URL is known. */
  readonly steps: readonly string[];
}

const password = {
  label: 'User name and password (optional)',
  hint: 'Joined by a colon: “user:password”. The sender must then use basic authentication.',
  isRequired: false,
  isSecret: true,
} as const;

export const outcomeProviderWords: Readonly<Record<OutcomeProvider, ProviderWords>> = {
  amazon_ses: {
    name: 'Amazon SES',
    key: {
      label: 'ARN of the SNS topic',
      hint: 'Create a standard topic in Amazon SNS first, such as arn:aws:sns:eu-west-1:123456789012:bounces.',
      isRequired: true,
      isSecret: false,
    },
    steps: [
      'In Amazon SNS, create a subscription of the topic with the protocol HTTPS and this URL as its endpoint. Leave raw message delivery off. Mailproof confirms the subscription.',
      'In Amazon SES, open the configuration set, add an event destination for bounces, complaints and deliveries, and choose the topic.',
    ],
  },
  sendgrid: {
    name: 'Twilio SendGrid',
    key: {
      label: 'Verification key',
      hint: 'In SendGrid, add an Event Webhook with any URL, turn on signature verification, save, and copy its public key.',
      isRequired: true,
      isSecret: false,
    },
    steps: [
      'In SendGrid, open Settings, Mail Settings, Event Webhooks, and edit the webhook.',
      'Enter this URL as Post URL, select Delivered, Bounced, Dropped and Spam Reports, and save.',
    ],
  },
  postmark: {
    name: 'Postmark',
    key: password,
    steps: [
      'In Postmark, open the server, its message stream, Webhooks, and add a webhook with this URL.',
      'Select Delivery, Bounce and Spam Complaint. If you have entered a password, enter the same as basic auth credentials.',
    ],
  },
  mailgun: {
    name: 'Mailgun',
    key: {
      label: 'HTTP webhook signing key',
      hint: 'In Mailgun, open Settings, API Security.',
      isRequired: true,
      isSecret: true,
    },
    steps: [
      'In Mailgun, open Send, Sending, Webhooks, and choose the domain.',
      'Add this URL for Delivered Messages, Permanent Failure and Spam Complaints.',
    ],
  },
  dsn: {
    name: 'Your mail server (RFC 3464)',
    key: password,
    steps: [
      'Let your mail server post each delivery status notification that it receives to this URL, with Content-Type: message/rfc822.',
      'With Postfix, pipe the address of the envelope sender to curl --data-binary @-.',
    ],
  },
  json: {
    name: 'Another system (JSON)',
    key: {
      label: 'Signing secret',
      hint: '“whsec_” and 24 to 64 random octets in base64, with which your system signs (Standard Webhooks).',
      isRequired: true,
      isSecret: true,
    },
    steps: [
      'Post {"outcomes": [{"email", "outcome", "date", "code", "text"}]} to this URL, signed as Standard Webhooks defines.',
    ],
  },
};

export const outcomeProviders = Object.keys(outcomeProviderWords) as OutcomeProvider[];

export const outcomeKindWords: Readonly<Record<OutcomeKind, string>> = {
  delivered: 'Delivered',
  replied: 'Replied',
  mailbox_missing: 'Bounced: no such mailbox',
  mailbox_disabled: 'Bounced: mailbox disabled',
  mailbox_full: 'Bounced: mailbox full',
  mailbox_rate_limited: 'Bounced: mailbox receives too much',
  not_about_mailbox: 'Bounced: not about the mailbox',
};

/** The name of a source: its description, or else its provider. */
export function sourceName({ description, provider }: OutcomeSource): string {
  return description ?? outcomeProviderWords[provider].name;
}

/** Whether a source works, in a word. */
export function sourceState({ last_received_at: receivedAt, refused }: OutcomeSource): StateLook {
  const [latest] = refused;
  if (latest && (receivedAt === null || latest.last_at > receivedAt)) {
    return { name: 'Refusing', tone: 'bad' };
  }
  return receivedAt === null
    ? { name: 'No events yet', tone: 'neutral' }
    : { name: 'Receiving', tone: 'good' };
}
