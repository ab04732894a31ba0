import { z } from 'zod';
import { verdictReason } from '../verdict.ts';

/** One thing that was found out about an address at a catch-all domain. */
const evidence = z
  .object({
    source: z
      .string()
      .describe('Where it was found, for example `web_key_directory`; the documentation lists the sources.'),
    finding: z.string().describe('What was found there.'),
    weight: z
      .number()
      .describe(
        'Natural logarithm of how much likelier the finding is where the mailbox exists; 0 says nothing.',
      ),
    address_specific: z.boolean().describe('Whether it speaks of this very address and not of its domain.'),
    host: z.string().optional().describe('The mail host that said so, where one did.'),
    age_days: z.number().nonnegative().optional(),
  })
  .meta({ id: 'Evidence' });

/** What was said in one SMTP session; it holds nothing of other customers. */
const session = z
  .object({
    host: z.string(),
    address: z.string().describe('The network address of the mail host.'),
    exchanges: z.array(
      z.object({
        command: z.string().describe('What we said; empty for the greeting, for which we waited.'),
        reply: z.string().describe('What the host replied, or why there was no reply, in brackets.'),
      }),
    ),
    compared_seconds_ago: z
      .int()
      .nonnegative()
      .optional()
      .describe(
        'How long ago the host was asked about made-up recipients of the domain, where its answers were remembered.',
      ),
  })
  .meta({ id: 'SmtpSession' });

/** Why a verdict is what it is (query parameter `details=true`). */
export const validationDetails = z
  .object({
    reason: verdictReason.describe('The reason of the result, for programs.'),
    explanation: z.string().describe('The reason in words.'),
    normalised_email: z.string().describe('The address in its canonical spelling.'),
    did_you_mean: z.string().optional().describe('A likely correction of a mistyped domain.'),
    role: z
      .boolean()
      .describe('Whether the address belongs to a function, such as info@ or sales@, not to a person.'),
    disposable: z
      .boolean()
      .describe(
        'Whether the domain hands out throw-away mailboxes, or is suspected of it: then the email type is another than `disposable`.',
      ),
    relay: z
      .boolean()
      .optional()
      .describe(
        'Whether the domain hands out aliases that pass mail on to a mailbox elsewhere, such as those of Firefox Relay. Answers remembered from an earlier release lack it.',
      ),
    mx_host: z.string().optional().describe('The preferred mail host.'),
    mx_kind: z
      .enum(['mailbox_host', 'gateway', 'forwarder', 'inbound_application'])
      .optional()
      .describe(
        'What the provider of that host does with mail: `mailbox_host` keeps it, `gateway` filters it, `forwarder` passes it on to a mailbox elsewhere, `inbound_application` hands it to a program. Missing where no provider is known.',
      ),
    mailbox_provider: z
      .object({
        id: z.string().describe('Identifier of the provider, from the list that `mx_provider` uses.'),
        inferred_from: z
          .enum(['mx', 'spf'])
          .describe('Another published mail host of the domain, or its SPF record.'),
      })
      .optional()
      .describe('Who keeps the mailboxes behind a secure email gateway. An inference: nobody was asked.'),
    age_seconds: z.int().nonnegative().describe('How long ago the mail hosts were asked; 0 when just now.'),
    time_ms: z.int().nonnegative().describe('Time that asking took, in milliseconds.'),
    catch_all: z
      .object({
        posterior: z
          .number()
          .min(0)
          .max(1)
          .describe('Probability that the mailbox exists, after the evidence.'),
        prior: z.number().min(0).max(1).describe('The same before any evidence.'),
        weights_version: z.string(),
        evidence: z.array(evidence),
      })
      .optional()
      .describe('What is known of an address whose domain accepts every recipient.'),
    sessions: z
      .array(session)
      .describe('The SMTP sessions in short; none when the answer comes from memory.'),
  })
  .meta({ id: 'ValidationDetails' });

export type ValidationDetails = z.output<typeof validationDetails>;
