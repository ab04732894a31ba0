import { refusedElsewhere } from './language-rules.ts';
import { besideTheMailbox, otherNouns, type ReplyRule } from './reply-rule.ts';

/** Replies that say that the mailbox does not exist. */
export const missingRules: readonly ReplyRule[] = [
  {
    // 5.1.4 (ambiguous), 5.1.5 (valid), 5.1.7 and 5.1.8 (about the sender) and 5.1.9 do not say this (RFC 3463 section
    // 3.2).
    meaning: 'missing',
    enhanced: /^5\.1\.(?:1|2|3|6|10)$/,
    text: new RegExp(
      [
        // No words, or only a name.
        String.raw`^[\s:.]*(?:<address>[\s:.]*)*(?:recipient address rejected[\s:.]*)?(?:[\w-]+(?:\.[\w-]+)+)?$`,
        String.raw`^(?:\W*(?:<address>|recipient address rejected)){0,3}\W*(?:is |was |does )?(?:unknown|unallocated|not (?:exist(?:ing)?|found|known)|(?:address )?error)\W*$`,
        String.raw`\b(?:recipient|user|mailbox|address|account|alias|destination|customer)(?: (?:mailbox|address|account|<address>)){0,2} (?:(?:is|was|has been) )?(?:unallocated|rejected(?!:)|unavailable|not (?:available|valid|known|found|exist))(?! (?:to|for|from|by|at|as|because|due|when|until|if|so|unless|after)\b)`,
        String.raw`\b(?:user|mailbox|recipient|account) has moved\b|\baddress (?:<address> )?has been replaced by\b|\b(?:user|recipient|person|mailbox|account) (?:is|has) gone\W*$`,
        String.raw`\bno (?:user|mailbox|account|recipient|address)(?: (?:<address>|["'][\w.+-]{1,64}["']))?(?: here)?\W*$`,
        String.raw`\bno forward found for this address|\baddress lookup in domain map failed|\bhasn't got the service mapped|\bnot (?:match any known|an existing) (?:user|mailbox|recipient|address)\b|\bnot have a mailbox for this address\b|\bwrong address\b(?! ${otherNouns}| book)|\bunrecogni[sz]ed address\b|\bfind the recipient domain\b|\bnot a valid rfc 5321 address\b|\b(?:rcp|int)-p1\b|\bnot our customer\b|\bno valid recipients\b|\brecip(?:ient)?notfound\b|\bundeliverable address: host \S{1,300} said: 5\d\d 5\.1\.1 `,
      ].join('|'),
    ),
    except: new RegExp(
      `${besideTheMailbox.source}|\\b(?:famil(?:y|ie)|character)s?\\b|${refusedElsewhere}`,
      'u',
    ),
    samples: [
      "550-5.1.1 The email account that you tried to reach does not exist. Please try\n550-5.1.1 double-checking the recipient's email address for typos or\n550-5.1.1 unnecessary spaces. For more information, go to\n550 5.1.1  https://support.google.com/mail/?p=NoSuchUser 4fb4d7f45d1cf-5c5b7a si3303772ybd.234 - gsmtp",
      '550 5.1.1 <nobody@ordinary.example>: Recipient address rejected: User unknown in local recipient table',
      '550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup',
      '550 5.1.6 recipient no longer on server: nobody@icloud.com',
      '550 5.1.6 <nobody@ordinary.example>: Recipient address rejected: User has moved to somewhere else',
      '550 5.1.1 Not our Customer',
      "553 5.1.2 We weren't able to find the recipient domain. Please check for any spelling errors, and make sure you didn't enter any spaces, periods, or other punctuation after the recipient's email address.",
      '554 qq Sorry, no valid recipients (#5.1.3)',
    ],
  },
  {
    // The code alone says only that something is wrong with an address, possibly the sender's.
    meaning: 'missing',
    enhanced: /^5\.1\.0$/,
    except: besideTheMailbox,
    text: /\b(?:address|recipient|user|mailbox) (?:is |was )?(?:rejected(?!: )|unknown|not found)|not our customer|recip(?:ient)?notfound/,
    samples: ['550 #5.1.0 Address rejected.', '550 5.1.0 Not our Customer'],
  },
  {
    // Microsoft's text as a gateway relays it; the Microsoft host's name at the end identifies it.
    meaning: 'missing',
    enhanced: /^5\.4\.1$/,
    text: /(?:recipient address|all recipient addresses) rejected ?: access denied.*\.outlook\.com\b/,
    samples: [
      '550 5.4.1 [nobody@ordinary.example]: Recipient address rejected: Access denied [BN3NAM04FT027.eop-NAM04.prod.protection.outlook.com]',
    ],
  },
  {
    // OpenSMTPD's reply for a virtual user that its table does not contain. No other program uses this code, and under
    // another code the same words say that a list is broken, not that it is missing.
    meaning: 'missing',
    code: /^524$/,
    enhanced: /^5\.2\.4$/,
    text: /^mailing list expansion problem: <address>$/,
    samples: ['524 5.2.4 Mailing list expansion problem: <nobody@ordinary.example>'],
  },
  {
    // Postfix's text after it has asked the host behind it; if that host's words follow, they decide.
    meaning: 'missing',
    text: /recipient address rejected: undeliverable address\.?$/,
    samples: ['554 5.7.1 <nobody@ordinary.example>: Recipient address rejected: undeliverable address'],
  },
  {
    meaning: 'missing',
    text: new RegExp(
      String.raw`\b(?:no such|unknown) address(?! \[| ${otherNouns})\b|\bno such (?:(?:e-?mail|local|mail|virtual) )?(?:user|recipient|mailbox|account|alias|person|id|address|drop)\b(?! ${otherNouns})|\b(?:unknown|non-?existent|nonexisting|invalid|illegal|bad|unrecogni[sz]ed|unregistered) (?:or (?:unknown|illegal|invalid) )?(?:(?:local|virtual|mail|user|domain|mailbox|final delivery) ){0,2}(?:user|recipient|mailbox|account|alias|person|(?<=\b(?:unknown|unregistered|unrecogni[sz]ed) )local[- _]part|addressee|destination (?:mailbox|(?:e-?mail )?address)|recipient address)(?! in | ${otherNouns})\b|\b(?:unknown|bad) (?:e-?)?mail address\b|\bunregistered address\b`,
    ),
    samples: [
      '550 5.7.1 No such user!',
      '550 No such ID',
      '550 Invalid recipient: <nobody@ordinary.example>',
      '550 Unknown local part nobody in <nobody@ordinary.example>',
      '550 Callout verification failed: 550 No Such User Here',
      '550 vdeliver: Invalid or unknown virtual user',
      '550 Benutzer nicht bekannt/User unknown',
      '550 No such email address',
      '550 5.7.1 unknown or illegal user: nobody@ordinary.example',
      '550 Bad destination email address',
      '550 Unrecognized recipient',
    ],
  },
  {
    meaning: 'missing',
    text: new RegExp(
      String.raw`\b(?:users?|recipients?|mailbox|account|addressee|address(?:es)?|e-?mail)(?: name)?(?: address)?(?: you (?:entered|specified))?(?: ?[([]? ?<address> ?[)\]]?| "?(?!name\b|rejected:|${otherNouns})\S+"?)? (?:is |was |are |were )?(?:unkn?own|unrecogni[sz]ed|no(?:t|) found\b|not (?:known|exist(?:ing)?|present|registered|recogni[sz]ed|valid|available (?:on this system|here))\b|(?:(?:could|can) ?not|couldn't) be found|does ?n[o']t exist|do ?n[o']t exist|doesn'?t exist|nonexistent|invalid)`,
    ),
    samples: [
      '503 User unknown',
      '550 Mailbox not found. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000728',
      '550 User not found: nobody@163.com',
      '550 Recipient not found',
      '550 recipient unrecognized',
      '553 5.3.0 <nobody@ordinary.example>... Addressee unknown, relay=[192.0.2.1]',
      '550 Mailbox ( nobody@ordinary.example ) not found or inactivated',
      '550 Local User [nobody@ordinary.example] not found.',
      '550 5.7.0 nobody@ordinary.example... address invalid',
      '554 user no found',
    ],
  },
  {
    // Google Groups uses one sentence to refuse unknown groups and groups to which the sender may not post.
    meaning: 'policy',
    text: /may not exist|might not exist/,
    samples: [
      '550 5.7.1 The group you tried to contact (info) may not exist, or you may not have permission to post messages to the group.',
    ],
  },
  {
    meaning: 'missing',
    text: /(?:not|n'?t) have an? .{0,40}account(?! (?:for|with|in|on) (?:this|that|the|your|our) domain)|\bno mail[- ]?box\b(?! (?:access|service|support|limit|polic|quota|size|space|relay|forward|deliver|verif|lookup))|\bno valid recipients?\b(?! (?:from|given))|\b(?:ex)?recip(?:ient)?notfound|no (?:mail ?box|account|users?|one|recipient) (?:here )?(?:by that name|with that|here|at this|is available|found)|not a (?:known|valid|local|recogni[sz]ed) (?:e-?mail )?(?:user|mailbox|recipient|address|account)|not an active address|unrouteable address|unroutable address|not our customer|not our user\b|not (?:a )?user of this (?:server|system)|\bexists? (?:that|this|such) user\b|do(?:n't| not) know (?:this|that) user\b|not one of our own addresses|no recipients for you?r mail here|no e-?mail address registered|not (?:found|listed) in (?:the )?directory|not listed in (?:domino|public name)|not present in directory|can't accept user|address is not handled|(?<!\b(?:domain|service|server|host|system|site|list|group|feature|resource) (?:is )?)no longer (?:available|valid|exists|on server|here\b|with us\b|(?:works?|employed) (?:here|for us|at|with)|an? (?:valid |known |current )?(?:customer|user|recipient|address|employee|mailbox|account))|badrcptto|badrecipientto|\bin my list of allowed recipients|missing home directory|\bin name directory|not known at this site|unable to find (?:alias )?user\b(?! profile)|\b(?:address_not_found|bad_recipient|userunknown|nosuchuser)\b|not in my valid ?rcptto|not in recipient list|not a member of domain|^<address> not used|unresolvable address: <address>; nosuchuser|^(?:<address>:? )?invalid (?:e-?mail )?address(?! famil| ?[([]?\d)|\bno redirect entry for this address|does(?: not|n't) handle mail for that user/,
    samples: [
      "554 delivery error: dd This user doesn't have a yahoo.com account (nobody@yahoo.com) [0] - mta4012.mail.bf1.yahoo.com",
      '554 delivery error: dd nobody@yahoo.com is no longer valid. [-20] - mta1234.mail.ne1.yahoo.com',
      '553 sorry, no mail-box here by that name',
      '550 There is no one at this address',
      '550 nobody is not an active address at this host',
      '553 sorry, this recipient is not in my validrcptto list (#5.7.1)',
      '554 5.7.1 <nobody@ordinary.example>: Recipient address rejected: Not in recipient list',
      '550 User not a member of domain: <nobody@ordinary.example>',
      '550 <nobody@ukr.net> not used',
      '554 Hi [192.0.2.1], 5.0.0 unresolvable address: <nobody@vger.kernel.org>; nosuchuser; nobody@vger.kernel.org',
      '501 Invalid address',
      '554 no valid recipients, bye',
      '550 Sorry, no mailbox',
      '550 ** No mail box available for this user **',
      '550 BAD_RECIPIENT - see http://www.mail.ordinary.example/undelivered.php?r=BAD_RECIPIENT',
      '553 this recipient is in my badrecipientto list',
      '550 user missing home directory',
      '521 No Redirect Entry for this address',
      '551 not our user',
      '550 not user of this server',
      '550 no e-mail address registered',
      '550 not found in directory',
    ],
  },
  {
    // Applies only if the recipient is what does not exist: hosts use the same words about our name and our domain.
    meaning: 'missing',
    text: /(?:\b(?:users?|recipients?|mail ?box(?:es)?|accounts?|addressee|address(?:es)?|e-?mail|rcpt|alias|person)\b|<address>)(?:(?!\b(?:domain|host(?:name)?|server|name|dns|record|mx|exchanger|database|table|store|path|folder|file|spool|quota|limit|policy|rule|list|you claim)\b)[^.;:]){0,60}? (?:do(?:es)? (?:not|no) exists?|do(?:es|s)?n'?t exist|is not exist)\b|recipient address rejected: [^\s.]{1,64} does not exist\b/,
    samples: [
      '550 RC:LD The email account that you tried to reach does no exists.',
      "550 RCPT (nobody@ordinary.example) dosn't exist",
    ],
  },
];
