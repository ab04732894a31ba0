import type { Deadline } from '../deadline.ts';
import { classifyReply } from '../reply/classify-reply.ts';
import type { Meaning } from '../reply/meaning.ts';
import type { SmtpFailure, SmtpOutcome } from './connection.ts';
import type { Conversation } from './conversation.ts';
import type { Reply } from './reply.ts';
import type { Exchange, Stage, Transcript } from './transcript.ts';

/** What an outcome means: a reply's meaning, or why there was none. */
export type Finding = Meaning | SmtpFailure;

/** The extensions that a host offers (RFC 5321 section 4.1.1.1), by keyword in upper case. */
export type Extensions = ReadonlySet<string>;

export type Opening =
  | { readonly kind: 'open'; readonly extensions: Extensions; readonly transcript: Transcript }
  | {
      readonly kind: 'ended';
      readonly stage: Stage;
      readonly finding: Finding;
      readonly transcript: Transcript;
    };

/** What the speaker knows of a host and says of itself. */
export interface Introduction {
  /** Our name; without one, our address as a literal stands in (RFC 5321 section 4.1.4). */
  readonly heloName: string | undefined;
  readonly provider: string | undefined;
  /** Name of the host, for TLS; undefined for a literal. */
  readonly serverName: string | undefined;
  /** False where TLS was tried and failed. */
  readonly useTls: boolean;
}

/**
 * Waits for the greeting, introduces us, and goes over to TLS where the host offers it, so that nobody on the way
 * reads who is asked about. The certificate is not verified: nearly any is usual between mail hosts, and even TLS with
 * a stranger is no worse than the clear text that it replaces (opportunistic security, RFC 7435).
 */
export async function openSession(
  conversation: Conversation,
  introduction: Introduction,
  deadline: Deadline,
): Promise<Opening> {
  const { provider } = introduction;
  const greeting = await conversation.awaitGreeting(deadline);
  const greeted = find(greeting.outcome, 'greeting', provider);
  if (greeted !== 'accepted') {
    return { kind: 'ended', stage: 'greeting', finding: greeted, transcript: [greeting] };
  }
  const introduced = after([greeting], await introduce(conversation, introduction, deadline));
  if (introduced.kind === 'ended' || !introduction.useTls || !introduced.extensions.has('STARTTLS')) {
    return introduced;
  }
  const securing = await conversation.startTls(introduction.serverName, deadline);
  const transcript = [...introduced.transcript, ...securing];
  const last = securing.at(-1)?.outcome;
  if (last?.kind !== 'reply') {
    return { kind: 'ended', stage: 'starttls', finding: last?.failure ?? 'tls_failed', transcript };
  }
  if (last.reply.code !== 220) {
    // Offered and refused, as with a host that has no certificate at the moment: the session goes on in the clear.
    return last.reply.code === 421
      ? { kind: 'ended', stage: 'starttls', finding: find(last, 'starttls', provider), transcript }
      : { ...introduced, transcript };
  }
  // Everything said before TLS is void (RFC 3207 section 4.2).
  return after(transcript, await introduce(conversation, introduction, deadline));
}

/** Says EHLO, and HELO where EHLO is not known (RFC 5321 section 3.2). */
async function introduce(
  conversation: Conversation,
  { heloName, provider }: Introduction,
  deadline: Deadline,
): Promise<Opening> {
  const name = heloName ?? conversation.localLiteral;
  const ehlo = await conversation.say({ stage: 'ehlo', command: `EHLO ${name}` }, deadline);
  const finding = find(ehlo.outcome, 'ehlo', provider);
  if (ehlo.outcome.kind === 'reply' && finding === 'accepted') {
    return { kind: 'open', extensions: extensionsOf(ehlo.outcome.reply), transcript: [ehlo] };
  }
  // A readable ground such as a block is an answer; going on with HELO would only be a second attempt at the door.
  if (ehlo.outcome.kind === 'failure' || ehlo.outcome.reply.code < 500 || finding !== 'policy') {
    return { kind: 'ended', stage: 'ehlo', finding, transcript: [ehlo] };
  }
  const helo = await conversation.say({ stage: 'helo', command: `HELO ${name}` }, deadline);
  const transcript = [ehlo, helo];
  const second = find(helo.outcome, 'helo', provider);
  return second === 'accepted'
    ? { kind: 'open', extensions: new Set(), transcript }
    : { kind: 'ended', stage: 'helo', finding: second, transcript };
}

function after(earlier: readonly Exchange[], opening: Opening): Opening {
  return { ...opening, transcript: [...earlier, ...opening.transcript] };
}

/** Says what an outcome means, given where in the session it came and whose host sent it. */
export function find(outcome: SmtpOutcome, stage: Stage, provider: string | undefined): Finding {
  return outcome.kind === 'reply' ? classifyReply(outcome.reply, stage, provider) : outcome.failure;
}

function extensionsOf(reply: Reply): Extensions {
  // The first line greets; each further one begins with a keyword.
  return new Set(reply.lines.slice(1).map(line => line.split(' ', 1)[0]?.toUpperCase() ?? ''));
}
