import { z } from 'zod';
import { creatorId, outcomeSourceId } from './ids.ts';
import { limits } from './limits.ts';
import { oneLineText } from './operations/app/discovery-parts.ts';
import { outcomeCounts, outcomeRefusals } from './outcomes.ts';
import { withCommas } from './with-commas.ts';

/** A kind of verification key: what it is, and whether a source can do without one. */
interface VerificationKey {
  readonly pattern: RegExp;
  readonly expected: string;
  readonly isRequired: boolean;
}

/** A user name and a password for basic authentication (RFC 7617), which the provider sends with each request. */
const basicAuth: VerificationKey = {
  pattern: /^[\x21-\x39\x3b-\x7e]{1,100}:[\x21-\x7e]{8,200}$/,
  expected:
    'a user name, a colon and a password of at least 8 characters, all printable ASCII without spaces',
  isRequired: false,
};

/** The systems that report outcomes, and the key with which their requests are verified. */
export const outcomeProviders = {
  amazon_ses: {
    name: 'Amazon SES',
    key: {
      // The region is part of a host name that is contacted.
      pattern: /^arn:aws(?:-cn|-us-gov)?:sns:[a-z]{2}(?:-[a-z]{1,12}){1,3}-\d{1,2}:\d{12}:[\w-]{1,256}$/,
      expected: 'the ARN of a standard SNS topic, such as `arn:aws:sns:eu-west-1:123456789012:bounces`',
      isRequired: true,
    },
  },
  sendgrid: {
    name: 'Twilio SendGrid',
    key: {
      // A P-256 public key in SubjectPublicKeyInfo form begins with these octets (RFC 5480 section 2).
      pattern: /^MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE[A-Za-z\d+/]{86}==$/,
      expected: 'the verification key of the Event Webhook, which begins with `MFkwEwYHKoZIzj0CAQ`',
      isRequired: true,
    },
  },
  postmark: { name: 'Postmark', key: basicAuth },
  mailgun: {
    name: 'Mailgun',
    key: {
      pattern: /^[\x21-\x7e]{16,200}$/,
      expected: 'the HTTP webhook signing key of the Mailgun account',
      isRequired: true,
    },
  },
  dsn: { name: 'Delivery status notifications', key: basicAuth },
  json: {
    name: 'JSON',
    key: {
      pattern:
        /^whsec_(?:[a-z\d+/]{4}){8,20}(?:[a-z\d+/]{4}(?:[a-z\d+/]{2}==)?|[a-z\d+/]{2}==|[a-z\d+/]{3}=)?$/i,
      expected: '`whsec_` and 24 to 64 octets in base64 (Standard Webhooks)',
      isRequired: true,
    },
  },
} as const satisfies Readonly<Record<string, { readonly name: string; readonly key: VerificationKey }>>;

export type OutcomeProvider = keyof typeof outcomeProviders;

export const outcomeProviderNames = Object.keys(outcomeProviders) as [OutcomeProvider, ...OutcomeProvider[]];

/** What is wrong with the verification key of a provider; undefined if nothing is. `null` means that there is none. */
export function verificationKeyFault(provider: OutcomeProvider, key: string | null): string | undefined {
  const { pattern, expected, isRequired }: VerificationKey = outcomeProviders[provider].key;
  if (key === null) {
    return isRequired ? `is required: ${expected}` : undefined;
  }
  return pattern.test(key) ? undefined : `must be ${expected}`;
}

/** Why an event of an accepted request is not recorded. */
export const outcomeIgnoredReasons = {
  not_an_outcome:
    'It says nothing about the mailbox, such as that mail was queued or a recipient unsubscribed.',
  not_final: 'The provider tries again to deliver the mail.',
  suppressed: 'The provider did not send the mail, because the address is on its own suppression list.',
  several_recipients: 'It names several recipients, and does not say which of them it is about.',
  not_readable: 'Its form is not that of the provider, such as an event without an address or a time.',
  ...outcomeRefusals,
} as const satisfies Readonly<Record<string, string>>;

export type OutcomeIgnoredReason = keyof typeof outcomeIgnoredReasons;

/** Why a request of a provider is refused. Nothing of it is recorded. */
export const outcomeRefusedReasons = {
  signature_missing: 'The request is not signed, or has no credentials.',
  signature_wrong: 'The signature or the password does not match the verification key.',
  signature_expired: 'The signature is older than 25 hours, or from the future.',
  signature_reused: 'Its signature came before, with other content.',
  other_topic: 'The message is from another SNS topic.',
  subscription_not_confirmed: 'Amazon SNS did not confirm the subscription. Request the confirmation again.',
  key_not_readable: 'The verification key can no longer be decrypted. Enter it again.',
  body_not_readable: 'The body does not have the form of the provider.',
  too_many_events: `The request has more than ${withCommas(limits.outcomeEventsMax)} events.`,
} as const satisfies Readonly<Record<string, string>>;

export type OutcomeRefusedReason = keyof typeof outcomeRefusedReasons;

const provider = z
  .enum(outcomeProviderNames)
  .describe(
    `The system that reports: ${outcomeProviderNames.map(each => `\`${each}\` (${outcomeProviders[each].name})`).join(', ')}.`,
  );
const keyCharactersMax = 400;
const verificationKey = z
  .string()
  .trim()
  .max(keyCharactersMax)
  .describe(
    `Verifies that requests are the provider’s; stored encrypted and never shown. ${outcomeProviderNames
      .map(each => {
        const { expected, isRequired }: VerificationKey = outcomeProviders[each].key;
        return `\`${each}\`: ${expected}${isRequired ? '' : ', for basic authentication; optional'}.`;
      })
      .join(' ')}`,
  );
const description = oneLineText(limits.outcomeSourceDescriptionCharactersMax);

export const newOutcomeSource = z
  .strictObject({
    provider,
    verification_key: verificationKey.optional(),
    description: description.optional(),
  })
  .check(({ value, issues }) => {
    const fault = verificationKeyFault(value.provider, value.verification_key ?? null);
    if (fault !== undefined) {
      issues.push({ code: 'custom', path: ['verification_key'], message: fault, input: value });
    }
  })
  .meta({ id: 'NewOutcomeSource' });

export const outcomeSourceChange = z
  .strictObject({
    verification_key: verificationKey
      .nullable()
      .optional()
      .describe('Replaces the verification key at once. `null` removes it where it is optional.'),
    description: description.nullable().optional(),
  })
  .meta({ id: 'OutcomeSourceChange' });

/** How often something happened at a source, and when last. */
function tallyOf<Reason extends string>(reasons: Readonly<Record<Reason, string>>, id: string) {
  return z
    .array(
      z
        .object({
          reason: z.enum(Object.keys(reasons) as [Reason, ...Reason[]]),
          detail: z.string(),
          count: z.int().positive(),
          last_at: z.iso.datetime(),
        })
        .meta({ id }),
    )
    .max(Object.keys(reasons).length);
}

/** A mail provider that reports the outcomes of an account’s mail automatically. */
export const outcomeSource = z
  .object({
    source_id: outcomeSourceId,
    provider,
    description: z.string().nullable(),
    has_verification_key: z.boolean(),
    previous_url_valid_until: z.iso
      .datetime()
      .nullable()
      .describe('Until then, the previous URL works too. Null unless it was replaced.'),
    subscribed_at: z.iso
      .datetime()
      .nullable()
      .describe('When the subscription to the SNS topic was last confirmed; null for other providers.'),
    last_received_at: z.iso.datetime().nullable().describe('Last accepted request of the provider.'),
    recorded: z.int().nonnegative().describe('New outcomes.'),
    repeated: z.int().nonnegative().describe('Outcomes already reported by this account; they count once.'),
    kinds: outcomeCounts,
    ignored: tallyOf(outcomeIgnoredReasons, 'IgnoredOutcomeEvents').describe(
      'Events that are not recorded, by reason, the most recent first.',
    ),
    refused: tallyOf(outcomeRefusedReasons, 'RefusedOutcomeRequests').describe(
      'Refused requests, by reason, the most recent first.',
    ),
    created_by: creatorId,
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'OutcomeSource' });

export type OutcomeSourceRecord = z.output<typeof outcomeSource>;

/** The headers of a provider’s request that verify it or say what its body is, in lower case. */
export const outcomeRequestHeaders = [
  'authorization',
  'content-type',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
  'x-twilio-email-event-webhook-signature',
  'x-twilio-email-event-webhook-timestamp',
] as const;
