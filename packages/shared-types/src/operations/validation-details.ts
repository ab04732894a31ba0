import { z } from 'zod';
import { verdictReason } from '../verdict.ts';

/** One piece of evidence about an address at a catch-all domain. */
const evidence = z
  .object({
    source: z
      .string()
      .describe(
        'Where it was found, for example `web_key_directory`; see the documentation for all sources.',
      ),
    finding: z.string().describe('What was found there.'),
    weight: z
      .number()
      .describe(
        'Natural logarithm of the likelihood ratio: how much likelier the finding is if the mailbox exists. 0 is neutral.',
      ),
    address_specific: z
      .boolean()
      .describe('Whether the finding is about this address rather than its domain.'),
    host: z.string().optional().describe('The mail host that gave the evidence, if any.'),
    age_days: z.number().nonnegative().optional(),
  })
  .meta({ id: 'Evidence' });

/** The transcript of one SMTP session; it contains no data of other customers. */
const session = z
  .object({
    host: z.string(),
    address: z.string().describe('The IP address of the mail host.'),
    exchanges: z.array(
      z.object({
        command: z.string().describe('The command that we sent; empty for the greeting.'),
        reply: z.string().describe('The host’s reply, or the reason for a missing reply in brackets.'),
      }),
    ),
    compared_seconds_ago: z
      .int()
      .nonnegative()
      .optional()
      .describe('Age of the domain’s answers for made-up recipients, if they came from the cache.'),
  })
  .meta({ id: 'SmtpSession' });

/** The explanation of a verdict (query parameter `details=true`). */
export const validationDetails = z
  .object({
    reason: verdictReason.describe('Stable reason code of the result.'),
    explanation: z.string().describe('The reason as display text.'),
    normalised_email: z.string().describe('The address in canonical form.'),
    did_you_mean: z.string().optional().describe('A likely correction of a misspelled domain.'),
    role: z
      .boolean()
      .describe('Whether the address belongs to a role, such as info@ or sales@, rather than a person.'),
    disposable: z
      .boolean()
      .describe(
        'Whether the domain provides disposable mailboxes, or is suspected to: a suspected domain keeps an email type other than `disposable`.',
      ),
    relay: z
      .boolean()
      .optional()
      .describe(
        'Whether the domain provides aliases that forward mail to another mailbox, such as Firefox Relay. Cached responses of an earlier release omit it.',
      ),
    mx_host: z.string().optional().describe('The preferred mail host.'),
    mx_kind: z
      .enum(['mailbox_host', 'gateway', 'forwarder', 'inbound_application'])
      .optional()
      .describe(
        'What the provider of that host does with mail: `mailbox_host` stores it, `gateway` filters it, `forwarder` forwards it to another mailbox, `inbound_application` passes it to a program. Absent if the provider is unknown.',
      ),
    mailbox_provider: z
      .object({
        id: z.string().describe('Identifier of the provider, from the list that `mx_provider` uses.'),
        inferred_from: z
          .enum(['mx', 'spf'])
          .describe('Another published mail host of the domain, or its SPF record.'),
      })
      .optional()
      .describe('The inferred mailbox provider behind a secure email gateway; it was not queried.'),
    age_seconds: z.int().nonnegative().describe('Age of the mail hosts’ answers; 0 if they are new.'),
    time_ms: z.int().nonnegative().describe('Time spent querying, in milliseconds.'),
    catch_all: z
      .object({
        posterior: z
          .number()
          .min(0)
          .max(1)
          .describe('Probability that the mailbox exists, given the evidence.'),
        prior: z.number().min(0).max(1).describe('The probability before any evidence.'),
        weights_version: z.string(),
        evidence: z.array(evidence),
      })
      .optional()
      .describe('Evidence about an address whose domain accepts every recipient.'),
    sessions: z
      .array(session)
      .describe('Summaries of the SMTP sessions; empty if the result comes from the cache.'),
  })
  .meta({ id: 'ValidationDetails' });

export type ValidationDetails = z.output<typeof validationDetails>;
