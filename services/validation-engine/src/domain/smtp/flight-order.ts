import type { SmtpOutcome } from './connection.ts';
import { goesOn } from './conversation.ts';
import type { Reply } from './reply.ts';
import type { Recipient } from './transaction.ts';
import type { Exchange } from './transcript.ts';

/**
 * Whether the answers of a flight stand in the order of its lines, so that each is the answer of its recipient.
 * `unclear` where one answer too many could still be to come, which would show in a moment.
 */
export type FlightOrder = 'in_order' | 'unclear' | 'out_of_order';

/** What else tells about the order of answers. */
export interface FlightCircumstances {
  /** All lines were sent ahead of the first answer, so that a missing one lets others move up. */
  readonly sentTogether: boolean;
  /** How this host is known to word its answer to RSET. */
  readonly resetWords: string | undefined;
}

/** @param exchanges those of all transactions; they may end early */
export function judgeOrder(
  recipients: readonly Recipient[],
  exchanges: readonly Exchange[],
  { sentTogether, resetWords }: FlightCircumstances,
): FlightOrder {
  const replies = repliesOf(exchanges);
  const resets = exchanges.filter(({ stage }) => stage === 'rset');
  const naming = judgeNaming(recipients, replies);
  if (!resets.every(({ outcome }) => isResetting(outcome)) || naming === 'another' || isSwapped(replies)) {
    return 'out_of_order';
  }
  const asked = replies.filter(({ stage }) => stage === 'rcpt');
  const isMixed = new Set(asked.map(wordsOf)).size > 1;
  const last = exchanges.at(-1);
  const failure = last?.outcome.kind === 'failure' ? last.outcome.failure : undefined;
  if (failure === 'garbled' && asked.length > 0) {
    return 'out_of_order';
  }
  // With one answer too few silence follows, and the last recipient has got what was meant for RSET.
  if (failure === 'timeout' && sentTogether && (isMixed || asked.some(({ code }) => code < 300))) {
    return 'out_of_order';
  }
  if (last === undefined || !goesOn(last.outcome)) {
    // An answer too many can no longer be heard.
    return naming === 'twin' ? 'out_of_order' : 'in_order';
  }
  const said = lastResetWords(exchanges);
  const isKnown =
    said === resetWords && replies.every(reply => reply.stage === 'rset' || wordsOf(reply) !== said);
  return (isMixed || naming === 'twin') && said !== undefined && !isKnown ? 'unclear' : 'in_order';
}

/** The words of the answer to the last RSET. */
export function lastResetWords(exchanges: readonly Exchange[]): string | undefined {
  const reset = repliesOf(exchanges).findLast(({ stage }) => stage === 'rset');
  return reset && wordsOf(reset);
}

/**
 * RSET cannot be refused (RFC 5321 section 4.1.1.5), except by hosts that do not know it: any other refusal belongs to
 * an earlier command, and then so may every answer.
 */
function isResetting(outcome: SmtpOutcome): boolean {
  const code = outcome.kind === 'reply' ? outcome.reply.code : 0;
  return code < 400 || code === 421 || code === 500 || code === 502;
}

/** True where a recipient was accepted although the sender was refused for good: two answers have changed places. */
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
 * Whose names the answers bear: each its own recipient's or none, or another's, or an accepted one's a second time.
 */
type Naming = 'own' | 'twin' | 'another';

/**
 * Many hosts name the recipient of whom they speak; who names another one speaks of that one. Sendmail accepts a
 * recipient by the name of one that it has accepted in the same transaction, where both lead to one mailbox. An answer
 * that came twice looks the same, but leaves one too many behind.
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

/** Longer than any sensible answer; it bounds what a hostile one can cost. */
const readableCharactersMax = 4_096;
const bareAddress = /[^\s<>()[\]:;,"']{1,64}@[\p{L}\p{N}.-]{0,254}[\p{L}\p{N}]/gu;

interface CommandReply extends Reply, Pick<Exchange, 'stage' | 'command'> {}

function repliesOf(exchanges: readonly Exchange[]): CommandReply[] {
  return exchanges.flatMap(({ stage, command, outcome }) =>
    outcome.kind === 'reply' ? [{ stage, command, ...outcome.reply }] : [],
  );
}

/** A reply without what differs each time: the name of its own recipient, addresses, numbers and marks. */
function wordsOf({ command, code, enhanced, lines }: CommandReply): string {
  const words = lines.join(' ').toLowerCase().split(/\s+/);
  const own = command.slice('RCPT TO:<'.length, command.lastIndexOf('@')).toLowerCase();
  const isSteady = (word: string) => !/[\d@]/.test(word) && word.replace(aroundName, '') !== own;
  return [code, enhanced, ...words.filter(isSteady)].join(' ');
}

/** Brackets, quotes and full stops about a name. */
const aroundName = /^[^\p{L}]+|[^\p{L}]+$/gu;
