import type { OutcomeKind, ReportableOutcome } from '@mailproof/shared-types';
import { findProvider } from '../providers/find-provider.ts';
import { classifyReply } from '../reply/classify-reply.ts';
import type { Meaning } from '../reply/meaning.ts';
import { type Reply, readReply } from '../smtp/reply.ts';
import type { Stage } from '../smtp/transcript.ts';

/** An outcome as it was reported. */
export interface Reported {
  readonly outcome: ReportableOutcome;
  /** Reply code, enhanced code or both. */
  readonly code?: string | undefined;
  /** A reply, a diagnostic code, or a complete delivery status notification (RFC 3464). */
  readonly text?: string | undefined;
  /** True if the mail provider does not blame the mailbox for the bounce. */
  readonly isSoft?: boolean | undefined;
}

/**
 * Decides what an outcome means for the mailbox. A bounce is read by the rules for replies (`../reply/`), so that a
 * block, a policy or a transient fault never counts against the mailbox. Neither does a bounce without a readable
 * reason, nor one that the mail provider calls soft: it has seen more than the text.
 */
export function judgeOutcome(reported: Reported): OutcomeKind {
  if (reported.outcome !== 'bounced') {
    return reported.outcome;
  }
  const bounce = readBounce(reported);
  const kind = bounce && kinds[classifyReply(bounce.reply, bounce.stage, bounce.provider)];
  return kind === undefined || (reported.isSoft && isAgainstMailbox[kind]) ? 'not_about_mailbox' : kind;
}

type BounceKind = Exclude<OutcomeKind, ReportableOutcome | 'not_about_mailbox'>;

const kinds: Partial<Readonly<Record<Meaning, BounceKind>>> = {
  missing: 'mailbox_missing',
  disabled: 'mailbox_disabled',
  full: 'mailbox_full',
  rate_limited: 'mailbox_rate_limited',
};

const isAgainstMailbox: Readonly<Record<BounceKind, boolean>> = {
  mailbox_missing: true,
  mailbox_disabled: true,
  mailbox_full: false,
  mailbox_rate_limited: false,
};

interface Bounce {
  readonly reply: Reply;
  readonly stage: Stage;
  readonly provider: string | undefined;
}

const replyCode = /(?<![\d.])([245]\d\d)(?=[\s:;,-]|$)/;
const enhancedCode = /(?<![\d.])([245]\.\d{1,3}\.\d{1,3})(?![\d.])/;

function readBounce({ code = '', text = '' }: Reported): Bounce | undefined {
  // A line that starts with white space continues the previous one (RFC 5322 section 2.2.3).
  const unfolded = text.replace(/\r?\n[ \t]+/g, ' ');
  const said = diagnosticIn(unfolded) ?? unfolded;
  const enhanced =
    enhancedCode.exec(code)?.[1] ??
    enhancedCode.exec(said)?.[1] ??
    /^status:\s*([245]\.\d{1,3}\.\d{1,3})/im.exec(unfolded)?.[1];
  const digits = replyCode.exec(code)?.[1] ?? replyCode.exec(said)?.[1] ?? codeOfClass(enhanced);
  if (digits === undefined && said.trim() === '') {
    return undefined;
  }
  const words = said.replace(replyCode, ' ').replace(enhancedCode, ' ').trim();
  // A bounce is permanent unless it says otherwise.
  const reply = readReply(Number(digits ?? '550'), [enhanced === undefined ? words : `${enhanced} ${words}`]);
  return { reply, stage: stageIn(unfolded), provider: providerIn(unfolded) };
}

/** The remote host's own words in a delivery status notification (RFC 3464 section 2.3.6), or in Postfix's sentence. */
function diagnosticIn(text: string): string | undefined {
  const field = /^diagnostic-code:[ \t]*(?:[\w-]+;)?[ \t]*(.+)$/im.exec(text)?.[1];
  return field ?? /\bsaid: (.+?)(?: \(in reply to [^)]*\))?$/im.exec(text)?.[1];
}

/** The generic reply code for the class of an enhanced code that comes alone (RFC 3463 section 2). */
function codeOfClass(enhanced: string | undefined): string | undefined {
  return enhanced === undefined ? undefined : { 2: '250', 4: '450', 5: '550' }[enhanced.charAt(0)];
}

/**
 * Finds the stage, because only a reply about the recipient can refer to the mailbox. Postfix names the refused
 * command.
 */
function stageIn(text: string): Stage {
  const command = /\(in reply to (?:end of )?(\w+)/i.exec(text)?.[1]?.toLowerCase();
  switch (command) {
    case 'ehlo':
    case 'helo':
    case 'mail':
      return command;
    default:
      return /receiving the initial server greeting/i.test(text) ? 'greeting' : 'rcpt';
  }
}

/** The provider whose host is quoted, if the notification names that host. */
function providerIn(text: string): string | undefined {
  const host =
    /^remote-mta:[ \t]*dns;[ \t]*([\w.-]{1,253})/im.exec(text)?.[1] ??
    /\bhost ([\w.-]{1,253})\[[\da-f.:]{2,45}\]:? said:/i.exec(text)?.[1];
  return host === undefined ? undefined : findProvider(host)?.id;
}
