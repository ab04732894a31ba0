import type { ProviderId } from '../providers/provider.ts';
import type { Stage } from '../smtp/transcript.ts';
import type { Meaning } from './meaning.ts';

/**
 * Topics of a reply other than the mailbox: the message itself, a list, a limit, or the origin of the mail. Next to
 * these words, an enhanced code alone proves nothing, because hosts reuse the codes of RFC 3463.
 */
export const besideTheMailbox =
  /\b(?:messages?|contents?|attachments?|quarantin\w*|spam\w*|bulk|junk|virus\w*|malware|banned|preferences|security|violat\w*|networks?|isp|ip(?:v[46])?|ips|lists?|listed|mailing|subscri\w*|rate|limits?|limited|too many|null mx|recipients from|too long|space|storage|quot[ae]|is full|busy|unknown (?:error|reason|command|parameter|option)|mail server|(?:server|database|store|transport|route|gateway|file|resource|key|certificate)(?: is)? (?:not|un)\w*|locked(?: by|, try)|vacation|out of office|migrated|being moved|internal|unmonitored|send-only|not served|closed to|sessions?|ticket|smtp access|fully[- ]qualified|domain name|missing an? |syntax|incomplete|malformed|(?:does(?: not|n't)|non-?) ?conform\w*|non-existant domain|repl(?:ies|y address)|does(?: not|n't) (?:accept|receive|take)|previously|suppress\w*|accept delivery|restrict\w*|gr[ea]y[- ]?list\w*|relay|external|outside|members?|moderat\w*|verif\w*|refus\w*|denied|defer\w*|connect\w*|protected|purported|registered|headers?|filter\w*|prox(?:y|ies)|countr(?:y|ies)|not (?:allowed|permitted|authori[sz]ed|accepted|accepting|welcome)|unknown recipient domain|(?:unknown|invalid|no such) host(?:name)?|hosts? (?:or domain name )?(?:is )?(?:unknown|not found)|encryption key|(?:reverse )?r?dns|ptr|[\w-]+(?:\.[\w-]+)+[>\]]? (?:does ?n[o']t exist|doesn't exist|not found|is unknown))\b/;

/** Nouns for the mailbox or its owner. */
export const mailboxNouns =
  '(?:user ?(?:name|id)s?|users?|recipients?|in-?box(?:es)?|(?:e-?)?mail[ -]?box(?:es)?|mbox|mail ?drop|(?:e-?mail |mail |user ?)?accounts?|addressee|subscribers?|employees?|colleagues?|persons?|members?|(?:e-?mail ?|mail ?)?address|alias|local[- ]part)';

/** Nouns that make such a noun a mere attribute, as in "user database" or "recipient limit". */
export const otherNouns =
  '(?:domain|host|server|system|status|state|process|owner|mailhost|number|problem|failure|list|key|table|database|store|policy|profile|format|class|type|session|agent|password|credential|certificate|licen[cs]e|token|error|lookup|check|quota|limit|rate|count|famil(?:y|ie)|data|syntax|header|space|rule|message|path|folder|file|spool|group|role|gateway|node|map|exchanger|connector|literal|reason|option|cache|encoding|charset|input|ratio|rating|range|protocol|depth|replica|index|sms|fax|voice ?mail|service|backend|director(?:y|ie)|resolver|portal|command)s?\\b';

/** A clause after such a noun, as in "the account that you tried to reach". */
export const thatYouNamed =
  '(?: (?:that )?you (?:(?:have |are |were )?(?:tried|trying) to (?:reach|contact|e-?mail)|(?:have )?(?:entered|specified|typed|written to|wrote to)|are writing to))';

/** Says that the mailbox is blocked, and not we. */
export const blockedForDisuse =
  /\b(?:account|mailbox)(?: (?:is|was|has been))? blocked due to (?:long[- ]time |extended )?inactivity\b|\brecipient account is blocked\b/;

/** One way in which mail hosts express one meaning. All given conditions must hold. */
export interface ReplyRule {
  readonly meaning: Meaning;
  /** The stages in which the rule applies; all stages if left out. */
  readonly stages?: readonly Stage[];
  /** The providers to whose replies the rule applies; all hosts if left out. */
  readonly providers?: readonly ProviderId[];
  readonly code?: RegExp;
  readonly enhanced?: RegExp;
  /** Matched against the lower-case text with every address in it replaced by `<address>`. */
  readonly text?: RegExp;
  /** Words that exclude the rule, in the same text without the addresses of web pages. */
  readonly except?: RegExp;
  /** Real lines that this rule matches, and the reason for the rule; test/replies/real.tsv names the source of each. */
  readonly samples: readonly [string, ...string[]];
}
