import { classifyReply } from '../reply/classify-reply.ts';
import type { Meaning } from '../reply/meaning.ts';
import type { SmtpFailure, SmtpOutcome } from './connection.ts';
import type { Conversation } from './conversation.ts';
import type { Reply } from './reply.ts';
import type { Stage } from './transcript.ts';

/** What an outcome means: a reply's meaning, or why there was none. */
export type Finding = Meaning | SmtpFailure;

/** The extensions that a host offers (RFC 5321 section 4.1.1.1), by keyword in upper case. */
export type Extensions = ReadonlySet<string>;

export type Opening =
  | { readonly kind: 'open'; readonly extensions: Extensions }
  | { readonly kind: 'ended'; readonly stage: Stage; readonly finding: Finding };

/** What the speaker knows of a host and says of itself. */
export interface Introduction {
  /** Our name; without one, our address as a literal stands in (RFC 5321 section 4.1.4). */
  readonly heloName: string | undefined;
  readonly provider: string | undefined;
}

/** Waits for the greeting and introduces us. */
export async function openSession(conversation: Conversation, introduction: Introduction): Promise<Opening> {
  const greeting = find(await conversation.awaitGreeting(), 'greeting', introduction.provider);
  return greeting === 'accepted'
    ? introduce(conversation, introduction)
    : { kind: 'ended', stage: 'greeting', finding: greeting };
}

/** Says EHLO, and HELO where EHLO is not known (RFC 5321 section 3.2). */
export async function introduce(conversation: Conversation, introduction: Introduction): Promise<Opening> {
  const name = introduction.heloName ?? conversation.localLiteral;
  const ehlo = await conversation.say('ehlo', `EHLO ${name}`);
  const finding = find(ehlo, 'ehlo', introduction.provider);
  if (ehlo.kind === 'reply' && finding === 'accepted') {
    return { kind: 'open', extensions: extensionsOf(ehlo.reply) };
  }
  // A readable ground such as a block is an answer; going on with HELO would only be a second attempt at the door.
  if (ehlo.kind === 'failure' || ehlo.reply.code < 500 || finding !== 'policy') {
    return { kind: 'ended', stage: 'ehlo', finding };
  }
  const helo = find(await conversation.say('helo', `HELO ${name}`), 'helo', introduction.provider);
  return helo === 'accepted'
    ? { kind: 'open', extensions: new Set() }
    : { kind: 'ended', stage: 'helo', finding: helo };
}

/**
 * Goes over to TLS and introduces us anew, since everything said before is void (RFC 3207 section 4.2). The
 * certificate is not verified: nearly any certificate is usual between mail hosts, and being refused for want of TLS
 * is all that TLS has to cure here (opportunistic security, RFC 7435).
 */
export async function secureSession(
  conversation: Conversation,
  introduction: Introduction,
  serverName: string | undefined,
): Promise<Opening> {
  const finding = find(await conversation.startTls(serverName), 'starttls', introduction.provider);
  return finding === 'accepted'
    ? introduce(conversation, introduction)
    : { kind: 'ended', stage: 'starttls', finding };
}

export function find(outcome: SmtpOutcome, stage: Stage, provider: string | undefined): Finding {
  return outcome.kind === 'reply' ? classifyReply(outcome.reply, stage, provider) : outcome.failure;
}

function extensionsOf(reply: Reply): Extensions {
  // The first line greets; each further one begins with a keyword.
  return new Set(reply.lines.slice(1).map(line => line.split(' ', 1)[0]?.toUpperCase() ?? ''));
}
