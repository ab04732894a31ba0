import type { SmtpOutcome } from './connection.ts';
import { continuesAfter } from './conversation.ts';
import { formatReply, type Reply } from './reply.ts';
import type { Recipient } from './transaction.ts';
import type { Exchange } from './transcript.ts';

/**
 * Whether the answers of a flight are in the order of its lines, so that each belongs to its recipient. `unclear` if an
 * extra answer could still arrive, which would show shortly.
 */
export type FlightOrder = 'in_order' | 'unclear' | 'out_of_order';

/** What else bears on the order of answers. */
export interface FlightCircumstances {
  /** All lines were sent before the first answer, so that a missing answer moves later ones up. */
  readonly sentTogether: boolean;
  /** Nothing was asked before in this session, so no answer can be left over. */
  readonly isFirst: boolean;
  /** How this host is known to word its answers to MAIL and RSET, which frame a transaction. */
  readonly frame: Frame | undefined;
}

/**
 * The wording of the answers to MAIL and RSET, if no other answer is worded like that to RSET. If answers have moved by
 * one position, other words appear there.
 */
export interface Frame {
  readonly mail: string;
  readonly reset: string;
  /** False if an extra answer may have moved all answers of the flight that showed the frame. */
  readonly isCertain: boolean;
}

/** The exchanges of all transactions of a flight, and the replies among them. They may end early. */
export interface Flight {
  readonly exchanges: readonly Exchange[];
  readonly replies: readonly CommandReply[];
}

export function judgeOrder(
  recipients: readonly Recipient[],
  flight: Flight,
  { sentTogether, isFirst, frame }: FlightCircumstances,
): FlightOrder {
  const { exchanges, replies } = flight;
  const resets = exchanges.filter(({ stage }) => stage === 'rset');
  const naming = judgeNaming(recipients, replies);
  if (!resets.every(({ outcome }) => isResetting(outcome)) || naming === 'another' || isSwapped(replies)) {
    return 'out_of_order';
  }
  const asked = replies.filter(({ stage }) => stage === 'rcpt');
  const isMixed = new Set(asked.map(({ words }) => words)).size > 1;
  const last = exchanges.at(-1);
  const failure = last?.outcome.kind === 'failure' ? last.outcome.failure : undefined;
  if (failure === 'garbled' && asked.length > 0) {
    return 'out_of_order';
  }
  // If one answer is missing, silence follows, and the last recipient has got the answer to RSET.
  if (failure === 'timeout' && sentTogether && (isMixed || asked.some(({ code }) => code < 300))) {
    return 'out_of_order';
  }
  if (last === undefined || !continuesAfter(last.outcome)) {
    // An extra answer can no longer arrive.
    return naming === 'twin' ? 'out_of_order' : 'in_order';
  }
  const isReset = replies.some(({ stage }) => stage === 'rset');
  const isDoubtful = !isFirst || isMixed || isRepeating(asked) || isUneven(replies) || naming === 'twin';
  return isDoubtful && isReset && !isFramedAlike(flight, frame) ? 'unclear' : 'in_order';
}

/**
 * True if a refusal may have arrived twice. The acceptance that it displaced has then moved to RSET, where it looks
 * right.
 */
function isRepeating(asked: readonly CommandReply[]): boolean {
  const refusals = asked.filter(({ code }) => code >= 400);
  return new Set(refusals.map(formatReply)).size < refusals.length;
}

/** True if the host words its acceptance of MAIL, or of RSET, in different ways. */
function isUneven(replies: readonly CommandReply[]): boolean {
  const consents = replies.filter(({ stage, code }) => stage !== 'rcpt' && code < 300);
  const stages = new Set(consents.map(({ stage }) => stage));
  return new Set(consents.map(({ stage, words }) => `${stage} ${words}`)).size > stages.size;
}

/** True if an answer to RSET is worded like one about a recipient, and so may be one. */
export function isResetAlike({ replies }: Flight): boolean {
  const asked = new Set(replies.filter(({ stage }) => stage === 'rcpt').map(({ words }) => words));
  return replies.some(({ stage, words }) => stage === 'rset' && asked.has(words));
}

/**
 * Returns the frame that is known after a flight. A flight without an acceptance does not show that the host words its
 * answers to RSET differently from its acceptances.
 *
 * @param isCertain - see `readFrame`
 */
export function learnFrame(known: Frame | undefined, flight: Flight, isCertain: boolean): Frame | undefined {
  if (!isCertain && known !== undefined) {
    return known;
  }
  const hasAccepted = flight.replies.some(({ stage, code }) => stage === 'rcpt' && code < 300);
  return (hasAccepted ? readFrame(flight, isCertain) : undefined) ?? known;
}

/**
 * The frame of transactions; undefined if the host words its answer to RSET like another answer.
 *
 * @param isCertain - false if an extra answer may have moved all answers. That shows only if the answers to MAIL, too,
 *   have their own wording
 */
export function readFrame({ replies }: Flight, isCertain: boolean): Frame | undefined {
  const words = { mail: new Set<string>(), rcpt: new Set<string>(), rset: new Set<string>() };
  for (const reply of replies) {
    words[reply.stage as keyof typeof words]?.add(reply.words);
  }
  const [mail, ...otherMails] = words.mail;
  const [reset, ...otherResets] = words.rset;
  if (mail === undefined || reset === undefined || otherMails.length + otherResets.length > 0) {
    return undefined;
  }
  const isOwn = mail !== reset && !words.rcpt.has(reset) && (isCertain || !words.rcpt.has(mail));
  return isOwn ? { mail, reset, isCertain } : undefined;
}

function isFramedAlike(flight: Flight, known: Frame | undefined): boolean {
  const said = known && readFrame(flight, known.isCertain);
  return said !== undefined && said.mail === known?.mail && said.reset === known.reset;
}

/**
 * Only hosts that do not know RSET refuse it (RFC 5321 section 4.1.1.5): any other refusal belongs to an earlier
 * command, and then every other answer may be out of place too.
 */
function isResetting(outcome: SmtpOutcome): boolean {
  const code = outcome.kind === 'reply' ? outcome.reply.code : 0;
  return code < 400 || code === 421 || code === 500 || code === 502;
}

/** True if a recipient was accepted although the sender was permanently refused: two answers are swapped. */
function isSwapped(replies: readonly CommandReply[]): boolean {
  let isRefused = false;
  return replies.some(({ stage, code }) => {
    if (stage === 'mail') {
      isRefused = code >= 500;
    }
    return stage === 'rcpt' && isRefused && code < 300;
  });
}

/**
 * Which recipients the answers name: each its own or none (`own`), an accepted one a second time (`twin`), or any other
 * one (`another`).
 */
type Naming = 'own' | 'twin' | 'another';

/**
 * Many hosts name the recipient that their answer is about; an answer that names another recipient is about that one.
 * If two recipients of a transaction lead to the same mailbox, Sendmail accepts the second under the name of the first.
 * An answer that arrived twice looks the same, but leaves an extra answer behind.
 */
function judgeNaming(recipients: readonly Recipient[], replies: readonly CommandReply[]): Naming {
  const all = new Set(recipients.map(({ localPart, domain }) => `${localPart}@${domain}`.toLowerCase()));
  const accepted = new Set<string>();
  let naming: Naming = 'own';
  for (const { stage, command, code, lines } of replies) {
    if (stage === 'mail') {
      accepted.clear();
    }
    const own = stage === 'rcpt' ? command.slice('RCPT TO:<'.length, -1).toLowerCase() : '';
    const isAcceptance = stage === 'rcpt' && code < 300;
    const text = lines.join(' ').slice(0, readableCharactersMax).toLowerCase();
    const named = (text.match(bareAddress) ?? []).filter(address => all.has(address));
    if (named.includes(own)) {
      if (isAcceptance) {
        accepted.add(own);
      }
    } else if (named.length > 0) {
      if (!isAcceptance || !named.every(address => accepted.has(address))) {
        return 'another';
      }
      naming = 'twin';
    }
  }
  return naming;
}

/** Longer than any sensible answer; limits the cost of a hostile one. */
const readableCharactersMax = 4_096;
const bareAddress = /[^\s<>()[\]:;,"']{1,64}@[\p{L}\p{N}.-]{0,254}[\p{L}\p{N}]/gu;

interface CommandReply extends Reply, Pick<Exchange, 'stage' | 'command'> {
  /** The reply without the parts that vary: the name of its recipient, addresses, numbers and punctuation. */
  readonly words: string;
}

export function readFlight(exchanges: readonly Exchange[]): Flight {
  const replies: CommandReply[] = [];
  for (const { stage, command, outcome } of exchanges) {
    if (outcome.kind === 'reply') {
      replies.push({ stage, command, ...outcome.reply, words: wordsOf(command, outcome.reply) });
    }
  }
  return { exchanges, replies };
}

function wordsOf(command: string, { code, enhanced, lines }: Reply): string {
  const words = lines.join(' ').toLowerCase().split(/\s+/);
  const own = command.slice('RCPT TO:<'.length, command.lastIndexOf('@')).toLowerCase();
  const isSteady = (word: string) => !/[\d@]/.test(word) && word.replace(aroundName, '') !== own;
  return [code, enhanced, ...words.filter(isSteady)].join(' ');
}

/** Brackets, quotes and periods around a name. */
const aroundName = /^[^\p{L}]+|[^\p{L}]+$/gu;
