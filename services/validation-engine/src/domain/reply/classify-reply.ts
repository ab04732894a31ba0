import type { ProviderId } from '../providers/provider.ts';
import type { Reply } from '../smtp/reply.ts';
import type { Stage } from '../smtp/transcript.ts';
import { blockRules } from './block-rules.ts';
import { aboutUs, type Doubt, undecided } from './doubt-rules.ts';
import { languageRules } from './language-rules.ts';
import type { Meaning } from './meaning.ts';
import { missingGrammar } from './missing-grammar.ts';
import { missingRules } from './missing-rules.ts';
import { isPlain } from './plain-words.ts';
import { policyRules } from './policy-rules.ts';
import { providerRules } from './provider-rules.ts';
import { blockedForDisuse, type ReplyRule } from './reply-rule.ts';
import { senderRules } from './sender-rules.ts';
import { sessionRules } from './session-rules.ts';
import { stateRules } from './state-rules.ts';

/**
 * All rules in the order of evaluation. Rules about us come before rules about the mailbox, because a block is often
 * worded as if it were about the recipient. Policy by enhanced code comes last, since some hosts state under 5.7.1 that
 * the mailbox does not exist.
 */
export const replyRules: readonly ReplyRule[] = [
  ...sessionRules,
  ...providerRules,
  ...blockRules,
  ...senderRules,
  ...stateRules,
  ...missingRules,
  ...missingGrammar,
  ...languageRules,
  ...policyRules,
];

/** Meanings about the mailbox: only an answer to RCPT can have them. */
const meaningsAtRcpt: ReadonlySet<Meaning> = new Set([
  'missing',
  'disabled',
  'full',
  'rate_limited',
  'refused',
]);
/** Permanent meanings: a 4xx reply is transient by definition (RFC 5321 section 4.2.1). */
const meaningsOf5xx: ReadonlySet<Meaning> = new Set(['missing', 'disabled']);

const speaksOfUs = anyOf(aboutUs);
const isUndecided = anyOf(undecided);
/** Names of help pages contain such words too, and mean nothing by them. */
const webAddress = /\bhttps?:\/\/\S{0,500}/g;

/**
 * Says what a reply means, given the stage of the session and the provider that sent it.
 *
 * @param localPart of the recipient, if known: hosts echo it as a bare word, as in "unknown user jsmith"
 */
export function classifyReply(
  reply: Reply,
  stage: Stage,
  provider?: ProviderId,
  localPart?: string,
): Meaning {
  const { code } = reply;
  if (code < 400) {
    return isExpected(code, stage) ? 'accepted' : 'unexpected';
  }
  const rule = findRule(reply, stage, provider, localPart);
  if (rule === undefined && code < 500 && stage === 'rcpt' && saysMissing(reply, localPart)) {
    return 'missing_for_now';
  }
  return rule?.meaning ?? fallback(code, stage);
}

/** Postfix quotes a permanent answer after its words for an address that it has not verified. */
const verifiedAsMissing = /unverified address: (?=unknown user\b|host \S{1,255} said: 5\d\d )/i;

/**
 * True if the words say that the mailbox does not exist, regardless of the code. The enhanced code does not count here:
 * 4.1.1 without such words may be a greylist or a failed lookup.
 */
function saysMissing({ code, lines }: Reply, localPart?: string): boolean {
  const words = lines.map(line => line.replace(verifiedAsMissing, ''));
  return findRule({ code: code + 100, lines: words }, 'rcpt', undefined, localPart)?.meaning === 'missing';
}

/** Matches any of the words. One expression, because every refusal is searched for all of them. */
function anyOf(doubts: readonly Doubt[]): RegExp {
  return new RegExp(
    `\\b(?:${doubts.flatMap(({ words }) => words.map(({ source }) => source)).join('|')})\\b`,
  );
}

/** The first rule that matches the reply. Used in tests, and to explain a verdict. */
export function findRule(
  reply: Reply,
  stage: Stage,
  provider?: ProviderId,
  localPart?: string,
): ReplyRule | undefined {
  const text = readableText(reply);
  const said = text.replace(webAddress, ' ');
  const isDoubtful = speaksOfUs.test(said.replace(blockedForDisuse, ' ')) || isUndecided.test(said);
  return replyRules.find(rule => {
    if (meaningsAtRcpt.has(rule.meaning) && stage !== 'rcpt') {
      return false;
    }
    if (meaningsOf5xx.has(rule.meaning) && (reply.code < 500 || isDoubtful)) {
      return false;
    }
    return (
      (rule.stages?.includes(stage) ?? true) &&
      (rule.providers === undefined || (provider !== undefined && rule.providers.includes(provider))) &&
      (rule.code?.test(String(reply.code)) ?? true) &&
      (rule.enhanced?.test(reply.enhanced ?? '') ?? true) &&
      (rule.text?.test(text) ?? true) &&
      !(rule.except?.test(said) ?? false) &&
      (!inEnglish.has(rule) ||
        !meaningsOf5xx.has(rule.meaning) ||
        isSaidPlainly(rule, reply, text, localPart))
    );
  });
}

/** The rules in whose sentences every word must be understood; other languages have a vocabulary each. */
const inEnglish: ReadonlySet<ReplyRule> = new Set([...stateRules, ...missingRules, ...missingGrammar]);

/** A host explains itself in a few lines; limits the cost of a hostile reply. */
const sentencePartsMax = 12;

/** True if a sentence of the reply, or all of it, gives the rule's meaning in words that are all understood. */
function isSaidPlainly(rule: ReplyRule, reply: Reply, text: string, localPart?: string): boolean {
  const sentences = sentencesOf(reply).filter(sentence => rule.text?.test(sentence));
  return (sentences.length > 0 ? sentences : [text]).some(sentence => isPlain(sentence, localPart));
}

/** Lines are wrapped anywhere; one that begins with a capital letter begins a sentence too. */
function sentencesOf(reply: Reply): string[] {
  const parts: string[][] = [];
  for (const line of reply.lines) {
    const last = parts.at(-1);
    if (last === undefined || /^[^\p{L}]*\p{Lu}/u.test(line)) {
      parts.push([line]);
    } else {
      last.push(line);
    }
  }
  return parts
    .slice(0, sentencePartsMax)
    .flatMap(lines => readableText({ ...reply, lines }).split(/(?<=[.!?]) /));
}

/** Longer than any sensible explanation; limits the cost of a hostile reply. */
const readableCharactersMax = 4_096;
/**
 * The repetitions are bounded, so that a hostile reply cannot make the search slow. Two dots in a row end a domain,
 * because Sendmail puts three dots before its text.
 */
const domainPart = /@(?:[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){0,40}|\[[\da-f.:]{1,50}\])>?/u.source;
const quotedAddress = new RegExp(`<?"(?:[^"\\\\]|\\\\.){0,64}"${domainPart}`, 'gu');
const bareAddress = new RegExp(`<?[^\\s<>()[\\]]{1,64}${domainPart}`, 'gu');

/**
 * Removes addresses from the text: hosts echo the recipient, whose spelling the client chooses, and `user.unknown@…`
 * must not be able to write its own verdict. Latin letters lose their accents, because many hosts write without them.
 */
function readableText(reply: Reply): string {
  return reply.lines
    .join(' ')
    .slice(0, readableCharactersMax)
    .toLowerCase()
    .normalize('NFD')
    .replace(/(?<=[a-z])[\u0300-\u036f]+/g, '')
    .normalize('NFC')
    .replaceAll('’', "'")
    .replace(quotedAddress, '<address>')
    .replace(bareAddress, '<address>')
    .replace(/\s+/g, ' ')
    .replace(helpFooter, ' ');
}

/**
 * The footer that Postfix's manual proposes for every refusal (smtpd_reject_footer). It names the client and the server,
 * which otherwise raises the doubt that the refusal is about them.
 */
const helpFooter =
  /[. ]{0,2}\bfor (?:assistance|help|support), (?:please )?(?:call [\d() +-]{5,25}|(?:contact|e-?mail) <address>)\.?(?: please provide the following information in your problem report: (?:(?:,| and)? ?(?:time|client|server|recipient|sender|instance|port) \([^()]{1,80}\)){1,7}\.?)?$/;

/** 251 and 252 accept a recipient too (RFC 5321 sections 3.4 and 3.5.3). */
function isExpected(code: number, stage: Stage): boolean {
  switch (stage) {
    case 'greeting':
    case 'starttls':
      return code === 220;
    case 'rcpt':
      return code === 250 || code === 251 || code === 252;
    case 'quit':
      return code === 221;
    default:
      return code === 250;
  }
}

/** The meaning of a refusal without a readable reason: a 4xx is transient, and a 5xx concerns the last command. */
function fallback(code: number, stage: Stage): Meaning {
  if (code < 500) {
    return 'temporary';
  }
  switch (stage) {
    case 'greeting':
      return 'no_service';
    case 'rcpt':
      return 'refused';
    default:
      return 'policy';
  }
}
