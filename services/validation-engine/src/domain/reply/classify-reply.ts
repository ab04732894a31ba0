import type { ProviderId } from '../providers/provider.ts';
import type { Reply } from '../smtp/reply.ts';
import type { Stage } from '../smtp/transcript.ts';
import { blockRules } from './block-rules.ts';
import type { Meaning } from './meaning.ts';
import { missingGrammar } from './missing-grammar.ts';
import { missingRules } from './missing-rules.ts';
import { policyRules } from './policy-rules.ts';
import { providerRules } from './provider-rules.ts';
import { blockedForDisuse, type ReplyRule } from './reply-rule.ts';
import { senderRules } from './sender-rules.ts';
import { sessionRules } from './session-rules.ts';
import { stateRules } from './state-rules.ts';

/**
 * In the order of reading. What speaks of us comes ahead of what speaks of the mailbox, because a block is often
 * worded as if it were about the recipient; policy by enhanced code comes last, since some hosts put a plain
 * statement that the mailbox does not exist under 5.7.1.
 */
export const replyRules: readonly ReplyRule[] = [
  ...sessionRules,
  ...providerRules,
  ...blockRules,
  ...senderRules,
  ...stateRules,
  ...missingRules,
  ...missingGrammar,
  ...policyRules,
];

/** These speak of the mailbox, so only an answer to RCPT can mean them. */
const meaningsAtRcpt: ReadonlySet<Meaning> = new Set([
  'missing',
  'disabled',
  'full',
  'rate_limited',
  'refused',
]);
/** These are lasting, and a 4xx reply is passing by definition (RFC 5321 section 4.2.1). */
const meaningsOf5xx: ReadonlySet<Meaning> = new Set(['missing', 'disabled']);

/**
 * Words about our own side, or about a rule. A reply that holds one never makes an address invalid, whatever else it
 * says: a wrong `invalid` costs a customer, while `unknown` costs nothing.
 */
const speaksOfUs =
  /\b(?:blocked|block[ -]?list(?:ed)?|black[ -]?list(?:ed)?|deny[ -]?list(?:ed)?|spamhaus|reputation|authenticat\w*|unauthenticated|banned|contents?|rate[ -]?limit\w*|throttl\w*|quarantin\w*|gr[ea]y[- ]?list\w*|open relay|message (?:is |was |has been )?refused|polic(?:y|ies)|forgery|spf|dkim|dmarc|senders?|originator|client|helo|ehlo|mail from|from[- ]address|return[- ]path|reply(?:[- ]address|-to)|log-?in (?:user|name|account)|sending (?:this|from|domain|host|server|address|account|user)|too many|excessive|limits? (?:reached|exceeded)|your (?:ip|host|server|domain|network|mail server|mta|(?:e-?mail )?(?:account|mailbox|address)))\b/;
/**
 * Nor does a host that has not found out, or that names a second ground behind "or"; Postfix may be told to answer 5xx
 * even while it is still verifying.
 */
const isUndecided =
  /\b(?:unverified address|in progress|temporar\w*|try (?:again )?later|timed out|loops? back|lookup fail\w*|connection refused|verify from \w+ failed|user reject(?:ed)?|m(?:ay|ight) (?:be|not|no longer)|would|not an? (?:user unknown|unknown user)|or (?:[^\s.]{1,40} ){0,4}(?:denied|refused|rejected|blocked|(?:is )?full|over ?quota|permission|relay\w*))\b/;
/** Pages of help have names like these, too, and say nothing by them. */
const webAddress = /\bhttps?:\/\/\S{0,500}/g;

/** Says what a reply means, given where in the session it came and whose host sent it. */
export function classifyReply(reply: Reply, stage: Stage, provider?: ProviderId): Meaning {
  const { code } = reply;
  if (code < 400) {
    return isExpected(code, stage) ? 'accepted' : 'unexpected';
  }
  const rule = findRule(reply, stage, provider);
  if (rule === undefined && code < 500 && stage === 'rcpt' && saysMissing(reply)) {
    return 'missing_for_now';
  }
  return rule?.meaning ?? fallback(code, stage);
}

/** Postfix quotes a lasting answer behind the words for an address that it has not verified. */
const verifiedAsMissing = /unverified address: (?=unknown user\b|host \S{1,255} said: 5\d\d )/i;

/**
 * True where the words say that the mailbox does not exist, whatever the code. The enhanced code does not count here:
 * 4.1.1 without such words may be a greylist or a lookup that failed.
 */
function saysMissing({ code, lines }: Reply): boolean {
  const words = lines.map(line => line.replace(verifiedAsMissing, ''));
  return findRule({ code: code + 100, lines: words }, 'rcpt')?.meaning === 'missing';
}

/** The first rule that reads the reply; shown by tests and by whoever wonders about a verdict. */
export function findRule(reply: Reply, stage: Stage, provider?: ProviderId): ReplyRule | undefined {
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
      !(rule.except?.test(said) ?? false)
    );
  });
}

/** Longer than any sensible explanation; it bounds what a hostile reply can cost. */
const readableCharactersMax = 4_096;
/**
 * The repetitions are bounded, so that a hostile reply cannot make the search slow. Two dots in a row end a domain:
 * Sendmail writes its words behind three of them.
 */
const domainPart = /@(?:[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){0,40}|\[[\da-f.:]{1,50}\])>?/u.source;
const quotedAddress = new RegExp(`<?"(?:[^"\\\\]|\\\\.){0,64}"${domainPart}`, 'gu');
const bareAddress = new RegExp(`<?[^\\s<>()[\\]]{1,64}${domainPart}`, 'gu');

/**
 * Takes addresses out of the text: hosts echo the recipient, whose spelling is chosen by whoever asked us, and
 * `user.unknown@…` must not be able to write its own verdict.
 */
function readableText(reply: Reply): string {
  return reply.lines
    .join(' ')
    .slice(0, readableCharactersMax)
    .toLowerCase()
    .replaceAll('’', "'")
    .replace(quotedAddress, '<address>')
    .replace(bareAddress, '<address>')
    .replace(/\s+/g, ' ');
}

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

/** What a refusal without a readable ground means: a 4xx passes, and a 5xx concerns what was just asked. */
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
