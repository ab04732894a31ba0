import { echoedName } from './plain-words.ts';
import { mailboxNouns, otherNouns, type ReplyRule, thatYouNamed } from './reply-rule.ts';

/**
 * Sentences by their grammar: a word for the mailbox and a way to deny it. Hosts combine the two freely, so each rule
 * accepts all combinations. The sentence must end there, because the following words may give another reason or
 * subject, as in "no user for authentication".
 */
const name = `(?:(?: for)? ?[([]?<address>[)\\]]?| ["'<]?(?!not\\b|${otherNouns})[\\w.+-]{1,64}["'>]?)`;
const location =
  '(?: (?:here|any ?(?:more|longer)|(?:on|at|in|to|of|with) (?:this|that|our) (?:e-?mail |mail )?(?:servers?|systems?|cluster|platform|provider|network|site|host|domain|machine|gateway|organi[sz]ation|company|address)|in (?:(?:local|virtual|relay|alias|recipient|user|mailbox) ){1,3}(?:table|map)|in (?:the |our |my )?(?:directory|ldap|(?:users? )?database|local list|local table|(?:global )?address (?:book|list)|records)))';
/** A code, the host's own tag or a request may end the sentence. */
const end = `${location}{0,2}["'\\s.!)]*(?:[([]#?5\\.\\d\\.\\d{1,3}[\\s\\w-]{0,20}[)\\]]|- psmtp|[-,;/]? ?(?:please|check|giving up)\\b.*)?[\\s.]*$`;

function sentence(source: string): RegExp {
  return new RegExp(
    source
      .replaceAll('MAILBOX', `(?:${mailboxNouns}|e-?mail)`)
      .replaceAll('YOU', thatYouNamed)
      .replaceAll('ECHO', echoedName)
      .replaceAll('NAME', name)
      .replaceAll('END', end),
  );
}

/** Rules for sentences that missing-rules.ts does not cover. */
export const missingGrammar: readonly ReplyRule[] = [
  {
    // The echoed recipient as the subject.
    meaning: 'missing',
    text: sentence(
      '^(?:sorry,? )?(?:recipient (?:address )?rejected: )?["\']?<address>["\']?(?:\\.\\.\\.|[:,])? ?(?:recipient (?:address )?rejected: )?(?:is |was )?(?:unknown|invalid|(?:has )?left (?:the|our) (?:company|organi[sz]ation|firm)|not (?:known|found|here|valid|registered|recogni[sz]ed|an? (?:existing|current) address|an? (?:local )?user|one of our users)|no longer (?:here|at this address|valid|exists|a valid address|with (?:us|the (?:company|organi[sz]ation|firm))))END',
    ),
    samples: ['550 <nobody@ordinary.example> not found'],
  },
  {
    // "No such X", "X has none", "cannot find X", "unknown X" and "X unknown".
    meaning: 'missing',
    text: sentence(
      [
        "\\bno (?:user|mailbox|account|recipient) ECHO hereEND|\\bno (?:(?:such|local|valid|known|matching|existing|virtual) ){0,2}(?:e-?mail )?MAILBOX(?:(?: (?:exists?|found|known))? (?:for|named|called)NAME|(?: here)? by (?:that|this) name| exists?| found)?END|\\bthere is(?: no|n't an?| not an?) MAILBOX(?:(?: here)? by (?:that|this) name| (?:for|named|called)NAME)?END|\\b(?:no|(?:can(?:not|'?t| not)|could(?: not|n't)|unable to) (?:find|locate) an?) MAILBOX with (?:this|that) (?:name|address)END",
        "(?:\\b(?:do not|don'?t|does not|doesn'?t) have|\\b(?:have|has) no) (?:an? |any |that |this |such an? )?(?:(?:local )?MAILBOX|(?:final )?(?:e-?mail |mail )?delivery (?:point|location|address))(?: (?:for|named|called)NAME| (?:by|with|of) (?:that|this) name)?END|\\b(?:nobody|no[- ]?one|none)(?: here)? (?:by|with|of) (?:that|this) (?:name|address)|\\bhas left (?:us|(?:the|our|this) (?:company|organi[sz]ation|firm|school|university))\\b|\\bdo(?:n't| not) know (?:this|that|any|the) MAILBOX",
        "\\b(?:unable to|can(?:not|'?t| not)|could(?: not|n'?t)|failed to|did not) (?:find|locate) (?:an? |any |the |that |this |such an? )?(?:(?:local|recipient|user|destination)(?:'?s)? )?MAILBOX(?:(?: for| named| called)?NAME|(?: here)? by (?:that|this) name)?END|\\bno (?:match|entry|matches|record)(?: found)? forNAMEEND",
        "\\bno (?:(?:such|valid|known|local) )?MAILBOX(?:(?:,|,? (?:or|nor|and)) (?:MAILBOX|list|group|forwarder)){1,3}(?: (?:exists?|found|known|match(?:es)?))?(?:(?: (?:for|named|called|with))?NAME| by (?:that|this) name)?END|\\bneither an? MAILBOX,? nor an? (?:MAILBOX|list|group)(?: exists?)?(?: (?:for|named|called|with the name)NAME)?END|\\b(?:does ?n[o']t|no longer) lives? (?:here|at this address)\\b|\\b(?:nobody|no[- ]?one)(?: here)? (?:named|called)NAME(?: lives)?END|\\bMAILBOXNAME?YOU? is ?n[o']t (?:in use|registered|assigned)END",
        '\\b(?:unknown|undefined|unidentified|unlisted|non[- ]?exist(?:ent|ing)|inexistent|bad|invalid|illegal) (?:(?:local|final|virtual|domain|destination|recipient|delivery) )?(?!(?<=(?:bad|invalid|illegal) )local[- ]part)MAILBOX(?::?NAME)?END|\\bwrong (?:recipients?|(?:mailbox|user)(?: ?name)?)END|\\bMAILBOXNAME?YOU?,?(?: (?:is|was|are|were))? (?:unknown|undefined|unlisted|(?<!\\b(?:recipient|address|addressee|alias) )missing|not (?:hosted|assigned(?: to any(?:body|one))?|here|known|found|on file|registered|in use|existing|an? (?:known|existing|valid|current) (?:one|user|mailbox|address))|non[- ]?exist(?:ent|ing)|inexistent)END',
        "\\bMAILBOXNAME?YOU?,?(?: is|'s| has)? ?(?:does ?n[o']t exist|(?:could|can)(?: ?not|n't) be (?:found|located|identified|resolved)|n[o']t (?:hosted|known|recogni[sz]ed|valid)|not(?= (?:here|on|at) )|left (?:the|our|this) (?:company|organi[sz]ation|firm|school|university)|(?:no longer|not) (?:exists?|hosted|valid|with (?:us|the (?:company|organi[sz]ation|firm))))END",
        '\\bdo(?:es)? not host (?:an?|this|that) MAILBOX(?: (?:by|with) (?:that|this) name)?END|^(?:<address>:? ?)?MAILBOXNAME? goneEND|(?:^|[:;,.] ?)(?:(?:the|this|that) )?(?:<address>|(?:recipient|user(?: ?name)?|mailbox)NAME?) does not match any (?:of (?:our|the) )?(?:(?:known|local|valid) )?MAILBOXEND|\\bno (?:active|current) MAILBOX(?: for (?:this|that) (?:address|name))?END|\\baddress (?:is|was|has been) withdrawnEND',
      ].join('|'),
    ),
    samples: [
      '550 mail drop not found',
      "550 local: Sorry, can't find user's mailbox. (#5.1.1)",
      '550 recipient does not have an account',
      '550 Recipient Rejected: No account by that name here',
    ],
  },
  {
    // Hosts that keep a list of recipients, or look them up in the directory of the organization. The contacts of one
    // user are not that: in them, a host looks for the sender.
    meaning: 'missing',
    text: sentence(
      [
        "(?:^(?:sorry,? |rejected: )?|^<address>:? ?|recipient address rejected: |\\bMAILBOXNAME?YOU? )(?:(?:is|was) not|is ?n[o']t|not) (?:(?:listed|found|known|present|registered|contained) )?(?:in|on) (?:(?:the|our|this|any|your) )?(?:(?:global|local|public|company|corporate|internal|exchange|active|ldap|e-?mail|mail|user|recipient|enterprise|organi[sz]ation(?:al)?) ){0,2}(?:director(?:y|ies)|address ?(?:book|list)|(?:user|recipient) (?:list|table|map|base)|ldap|gal)END",
        '\\b(?:recipient|user|address|mailbox|<address>)(?: address|NAME)? (?:is |was )?not (?:in|on) (?:my |our |the |this |local |(?=recipient |user |local ))(?:(?:local|recipient|user|valid) )*(?:list|table|database|file|map)\\b',
        // A bare name with dots may be the name or the address of our host.
        `^["']?(?!(?:it|you|from|relay|client)\\b|${otherNouns})[\\w+-]{1,64}["']? is not an? (?:known|valid|existing|registered) (?:user|mailbox|recipient)END`,
        '\\bnot (?:an? )?(?:(?:known|valid|existing|local|current|registered) )?(?:user|mailbox|recipient|customer) (?:here|of ours|(?:on|at|in|of) (?:(?:this|our) (?:server|system|site|host|domain)|[\\w-]{1,63}(?:\\.[\\w-]{1,63}){1,9}))',
        '\\bnot (?:one of our (?:own )?|(?:found |listed )?among (?:our|the) (?:(?:own|valid|known|local) )?|(?:found |listed )?(?:in|on) (?:my|our|the) list of (?:(?:valid|known|local) )?)(?:users|customers|mailboxes|recipients)\\b',
        '\\b(?:MAILBOX|<address>) (?:is )?absent from (?:(?:the|our) )?(?:directory|(?:user )?database)END',
      ].join('|'),
    ),
    samples: ['550 sorry, your recipient address is not in my local list'],
  },
];
