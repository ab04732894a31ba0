import { mailboxNouns, otherNouns } from './reply-rule.ts';

/**
 * The words with which hosts say that a mailbox is gone, by kind. A sentence with any other word may say something else:
 * "no such user in the fax gateway", "mailbox closed for legal hold". No list of exceptions covers all of these, so the
 * list is of the words that are understood.
 */
const words = [
  // The mailbox and its owner.
  "s user('?s)? users username usernames userid id ids recipients? recip recipient's rcpt mbox box inbox(es)? mail mail-?box(es)? e-?mails? mailaddress accounts? mailaccount useraccount adress generic e-?mailaccount mailboxaccount address(es)? addressees? envelope intended intented own yor rfc alias(es)? subscribers? customers? members? persons? people owner employees? student staff colleague spectator local part local[_-]part destination target path name named called final delivery point drop mailhost",
  // That it is not there.
  "no non not none no-?body never nothing unknown unkown unrecogni[sz]ed unregistered unlisted undefined unidentified unassigned unallocated unavailable undeliverable unrouteable unroutable unresolvable invalid illegal bad wrong incorrect misspelled missing non-?exist(ing|ent)? inexistent existent exist(s|ing|ed)? known valid found find locate located match(es|ing)? present registered recogni[sz]ed listed accept(ed|s|ing)? available reach(ed)? handled? hosted assigned mapped entr(y|ies) records? such absent neither nor impossible cannot can can't could couldn't unable able do don't does doesn't dosn't did didn't is isn't was wasn't were weren't are aren't has hasn't have haven't had be been being nosuchuser userunknown invalid-recipient address_not_found bad_recipient mailbox_not_found",
  // That it is out of use.
  'disabled? deactivated inactive inactivated inactivity inactiv active activated activ dormant suspend(ed)? locked frozen closed discontinued terminated cancell?ed retired removed? decommissioned graduated expired deleted archived left gone longer any anymore more former formerly previous abandoned unused used using use works? working employed service status long-time old unread outdated obsolete purged deprovisioned withdrawn stopped ended dead disconnected dropped vacant deceased resigned departed quit state currently current now permanently administratively administrativley administrative(ly)? permanent long due entered enter logged log onto last since receiving receives? enable(d)? marked as poped popped days months years? over than forward(ing|ed)? moved replaced suspended abuse team',
  // Where it is looked for.
  "ours here there there's anybody anyone this that these those the an? yet at in on to of from by for with our my we us i its it it's one among lists? table directory passwd cluster ldap domino database relay virtual public address book sites? servers? systems? domains? hosts? machine organi[sz]ations? company school university institution institute business corporation office campus faculty firm department platform provider network gateway home file map redirect internet alumni validrcptto rcptto badrcptto badrecipientto chkuser chkusr cuda_nsu nsu rcptchecks dspam vpopmail umail qq eyou eyoumta postini psmtp rusr vdeliver vdelivermail norman gmail hotmail siteground yahoo aol cuda nsu rc ne ld d dd int ract szn nv",
  // Programs and services that sign their replies.
  'nsmtp halon haraka stalwart kumomta axigen assp kerio mailenable smartermail mdaemon hmailserver zimbra gwia communigate naver ovh gandi infomaniak zoho hostinger jellyfish emailsrvr hornetsecurity antispameurope spamexperts retarus sophos mimecast proofpoint barracuda rackspace',
  // How the host puts it.
  "i'm sorry oops unfortunately errors? failed failure failing rejected rejecting rejects? refused? denied requested action actions taken aborted said says say command callout verification verify(ing)? lookup process reply replied replies reports? reported answer(ed|s)? backend downstream upstream lmtp response returned return original message size kb request mta gsmtp smtp esmtp remote deliver delivered transaction following either least problem messages? mode normal sid bounced provided supplied given particular corresponding your you you've tried try trying sent send sending specified typed written writing write reached contact(ed)? correspondent correct thank hi bye directly giving up and or because but will got lives? allowed",
  // What the sender is to do.
  'please check(ed|ing)? double spelling spelled spell typing mistyped mistake typos? spaces unnecessary again other another instead web form information info details learn go visit see explanation line above why resend notify administrator postmaster support help page sure make update should via number code know',
]
  .join(' ')
  .split(' ');

const isWord = new RegExp(`^(?:${words.join('|')})$`);

/** The source of an expression for a name between other words: none of these, or `nobody`, a usual local part. */
export const echoedName = `(?:nobody|(?!(?:${words.join('|')})\\b)[\\w.+-]{1,64})`;

const bareName = `(?!${otherNouns})[\\w.+/=-]{1,64}`;

/** An echoed name, at a place where a sentence about a mailbox has one. */
const nameSlot = new RegExp(
  `\\b(?:${mailboxNouns}|recipient address rejected|for|named|called)(?: name)?(?:[:,] ?${bareName}["'.,;:!)\\s]*$| ?[:,]? ?["'(<[{]${bareName}["')>\\]}]| ${bareName}(?= (?:is|was|are|has|had|does|do|could|cannot|can't|not|no|un\\w+|in(?:valid|active)|disabled|doesn't|isn't|suspended|deleted|closed|expired|terminated|locked)\\b)|(?<=named|called) ${bareName}["'.,;:!)\\s]*$)`,
  'g',
);
/** Stock sentences of one program whose words mean other things elsewhere; Postfix ends one with the new address. */
const stockPhrases =
  /(?:recipient address|all recipient addresses) rejected ?: access denied|(?<=^(?:<address>:? )?(?:recipient address rejected: )?)user has moved to .{0,200}$|mailing list expansion problem|blocked due to|during last|or at least syntactically/g;
/** Codes, numbers, tags in brackets, pages and hosts are no words. */
const notWords =
  /<address>|https?:\/\/\S{0,500}|\[[^\]]{0,200}\]|"[\w.+-]{1,64}"|'[\w.+-]{1,64}'|<[\w.+-]{1,64}>|\b[\w-]{1,63}(?:\.[\w-]{1,63}){1,40}\b|\b[\w-]{0,64}\d[\w-]{0,64}/g;

/** Asks instead of saying it, as in "is this mailbox closed?". */
const isQuestion = /^\W*(?:is|was|are|were|does|did|has|do|why|who|what)\b[^?]{0,300}\?\W*$/;

/**
 * True if every word of the sentence is one with which hosts say that a mailbox is gone.
 *
 * @param localPart of the recipient, which may be echoed anywhere
 */
export function isPlain(sentence: string, localPart?: string): boolean {
  if (isQuestion.test(sentence)) {
    return false;
  }
  const rest = withoutEcho(sentence.replace(stockPhrases, ' '), localPart)
    .replace(/^[\w.+-]{1,64}:(?=\w)/, ' ')
    .replace(notWords, ' ')
    .replace(nameSlot, ' ');
  return (rest.match(/\p{L}(?:[\p{L}_]|['-](?=\p{L}))*/gu) ?? []).every(word => isWord.test(word));
}

function withoutEcho(sentence: string, localPart?: string): string {
  const echo = localPart?.toLowerCase();
  if (echo === undefined || !sentence.includes(echo)) {
    return sentence;
  }
  const escaped = echo.replace(/[^\w\s]/g, '\\$&');
  return sentence.replace(new RegExp(`(?<!\\w)${escaped}(?!\\w)`, 'g'), ' ');
}
