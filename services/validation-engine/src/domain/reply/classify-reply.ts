import type { ProviderId } from '../providers/provider.ts';
import type { Reply } from '../smtp/reply.ts';
import type { Stage } from '../smtp/transcript.ts';
import { blockRules } from './block-rules.ts';
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

/**
 * Words about our side, the message, the form of a command, a login or a rule. A reply with such words never makes an address invalid, regardless of what
 * else it says: a wrong `invalid` costs a customer, while `unknown` costs nothing.
 */
const speaksOfUs =
  /\b(?:blocked|block[ -]?list(?:ed)?|black[ -]?list(?:ed)?|deny[ -]?list(?:ed)?|spamhaus|reputation|authenticat\w*|unauthenticated|banned|contents?|rate[ -]?limit\w*|throttl\w*|quarantin\w*|gr[ea]y[- ]?list\w*|open relay|message (?:is |was |has been )?refused|polic(?:y|ies)|forgery|spf|dkim|dmarc|senders?|originat\w*|bounce address(?:es)?|batv|backscatter|prvs|srs|verp|headers?|unsupported|options?|parameters?|harvest\w*|attacks?|(?:en|de)crypt\w*|threads?|conversations?|tickets?|tokens?|certificates?|passwords?|client|helo|ehlo|mail from|from[- ]address|envelope[- ]from|outgoing|outbound|for sending|non-members|imap|pop3?|log ?in first|you,? <address>,? are|(?:find|know|for|about|of) you(?! [a-z]+(?:ed|en|te|nt)\b)|(?<!(?:due|written|given|back|talk|speak) )to you(?! [a-z]+(?:ed|en|te|nt)\b)|unknown (?:persons?|people|users?|accounts?) (?:writing|sending|trying)|you (?:claim|are (?:not|an? )|have not|haven't|must|(?:have no|do(?: not|n't) have) (?:an? |any )?(?:user|account|mailbox))|return[- ]path|reply(?:[- ]address|-to)|log-?in (?:user|name|account)|sending (?:this|from|domain|host|server|address|account|user)|too many|excessive|attempts|exceed(?:ed|s|ing)?|max(?:imum)?|thresholds?|penalty|unknown limit|limits? reached|(?:unknown|invalid|bad|non-?existent) (?:users|recipients|mailboxes)|(?:users|recipients|mailboxes) (?:that )?do(?: not|n't) exist|dns|tls|ssl|reverse-path|callback to|from: ?line|in the from\b|(?:from|by) an? (?:unknown|unregistered|invalid|unlisted)|permi(?:ssions?|tted)|valid, but|contacts|those who|(?:that|who|which) (?:has |had )?sent|rewrit\w*|syntax|malformed|literal|brackets?|(?:invalid|illegal|bad|forbidden|special|disallowed) characters?|(?:host|domain) part|\d+ times|your (?:(?!recipient|intended|addressee)[\w-]+ )?(?:ip|host|server|domain|network|mail server|mta|company|organi[sz]ation|firm|country|side|portal|(?:e-?mail )?(?:account|mailbox|address)))\b/;
/**
 * Words of a host that does not know yet, or that names a second reason after "or". They never make an address invalid
 * either: Postfix can be configured to answer 5xx even while it is still verifying.
 */
const isUndecided =
  /\b(?:unverified address|in progress|service (?:is )?(?:currently )?(?:unavailable|not available)|temporar\w*|try (?:again )?later|timed out|offline|unreachable|loops?|internal error|(?:directory|database|ldap|server) (?:is )?(?:errors?|unavailable|down|fail\w*)|lookup (?:of (?:\S+ ){0,5})?fail\w*|connection refused|verify from \w+ failed|user reject(?:ed)?|m(?:ay|ight) (?:be|not|no longer)|would|not an? (?:user unknown|unknown user)|e\.g|no access|unknown error|stale|cached|lookup time-?out|did not (?:answer|respond)|verification (?:is )?(?:not available|unavailable)|please retry|in (?:the |its |our |local |my )*cache|(?:this|the|storage|cluster) node|until|not yet|(?:active|activated|created|available|ready|enabled|provisioned) yet|at present|(?:this|the) moment|at this time|mail again|renew|for maintenance|for \d+ (?:minutes|hours)|(?:during|on|over|at) (?:the )?(?:holidays?|weekends?|nights?)|(?:maybe|perhaps|possibly|probably) (?:an? )?(?:not?|unknown|invalid|disabled|inactive)|unknown if|whether|not (?:un(?:known|listed|registered|recogni[sz]ed)|invalid|missing|inactive|disabled|deactivated|suspended|closed|deleted)|(?:previous|preceding|last|earlier) (?:recipient|address|user|mailbox|account|mail|message)s?|in this form|forward(?:ing)? (?:address|target|destination)|(?:alias|redirect) (?:target|destination)|at least one (?:recipient|address|user)|one of (?:the|your|these|those) (?:recipients|addresses|users)|(?<!\b(?:no|in|on|from|at|of) (?:(?:the|our|my|this|that|any|a|local|valid) ){0,2})(?:database|destination|target|path|director(?:y|ies)|tables?|lists?|servers?|machine|network|gateway|map|home|platform|provider|department|owner) (?:of|behind) (?:(?!domain)\S+ ){0,2}(?:alias(?:es)?|users?|recipients?|mailbox(?:es)?|accounts?|address(?:es)?|members?|<address>)|(?!(?:user|recipient|mail-?box|account|alias|address|e-?mail|person|member|customer|entr(?:y|ies)|record|match|name|id|forward|redirect|home|one|any|most|all)s?\b)[a-z-]{1,40} (?:of|for|behind) (?:the|this|that) (?:user|recipient|mailbox|account|alias|address|person|addressee|customer|<address>) (?:is|was|does|do|could|can|cannot|has)|(?:user|recipient|person|alias|address|account|mailbox)'s (?!(?:own )?(?:user|mail|mail-?box|account|address|e-?mail|in-?box|name|local|id)s?\b)[a-z-]{1,40} (?:is|was|does|do|could|can|cannot|has)|(?:server|machine|network|relay|gateway|delivery|internet|reseller|hosting|tenant|billing|provider|platform) account|forward(?:ing)? (?:is |was |has been )?(?:disabled|deactivated|suspended|expired|stopped)|not found (?:to|worthy|eligible|suitable|fit)|or (?:[^\s.]{1,40} ){0,5}(?:denied|refused|rejected|blocked|(?:is )?full|over ?quota|permission|relay\w*|allowed|authori[sz]ed|wants?|accept(?:s|ed|ing)?|restricted|banned|filtered|spam))\b/;
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
