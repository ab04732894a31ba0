import {
  besideTheMailbox,
  blockedForDisuse,
  mailboxNouns,
  otherNouns,
  type ReplyRule,
  thatYouNamed,
} from './reply-rule.ts';

/** Replies about a mailbox that exists, but accepts no mail at the moment or no longer. */
export const stateRules: readonly ReplyRule[] = [
  {
    // Before "disabled": Google says this under both 4.2.1 and 5.2.1. Before "full": Microsoft mentions a limit.
    meaning: 'rate_limited',
    text: /receiving mail (?:too quickly|at a rate)|receiving too much mail|received too much email|too many messages (?:for|to) this (?:user|recipient|mailbox)|recipient.{0,30}(?:rate|receiving|thread|receive) limit|recipient has exceeded (?:their limit|message rate limit)|per hour message receive limit/,
    samples: [
      '450 4.2.1 The user you are trying to contact is receiving mail too quickly. Please resend your message at a later time. If the user is able to receive mail at that time, your message will be delivered.',
      '550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered. For more information, please visit https://support.google.com/mail/?p=ReceivingRatePerm - gsmtp',
      '432 4.3.2 STOREDRV.Deliver; recipient thread limit exceeded',
      '554 5.2.122 The recipient has exceeded their limit for the number of messages they can receive per hour. For more information go to http://go.microsoft.com/fwlink/?LinkId=526653. [outlook.com]',
      '450 4.2.1 <ada@ordinary.example>: Mailbox received too much email in a short period of time (G30)',
    ],
  },
  {
    // A quota other than the recipient's says nothing about the mailbox.
    meaning: 'temporary',
    code: /^4/,
    text: /(?:queue|system|domain|organization) (?:\w+ )?quota/,
    samples: ['450 4.7.3 Organization queue quota exceeded. [outlook.com]'],
  },
  {
    // The mail system is full (RFC 3463 section 3.4), not the mailbox.
    meaning: 'temporary',
    enhanced: /^[45]\.3\.1$/,
    samples: ['452 4.3.1 Insufficient system resources (TSTE) [outlook.com]'],
  },
  {
    meaning: 'full',
    enhanced: /^[45]\.2\.2$/,
    samples: [
      "452-4.2.2 The recipient's inbox is out of storage space. Please direct the\n452-4.2.2 recipient to\n452 4.2.2  https://support.google.com/mail/?p=OverQuotaTemp - gsmtp",
      '552 5.2.2 <full@icloud.com>: user is over quota',
      '554 5.2.2 mailbox full',
    ],
  },
  {
    meaning: 'full',
    text: /mailbox (?:<address> )?(?:is |has )?(?:full|over ?quota|exceeded)|(?:mail)?box full|(?:storage|inbox|account|mailfolder) (?:is )?full|(?:over|exceed\w*|out of|exhausted) (?:the |his |her |their |its |allowed )?(?:storage|mailbox|disk|mail)? ?(?:quota|storage|space)|quota (?:is )?(?:exceeded|full|violation)|mailbox (?:size )?limit exe+(?:ce)?eded|(?:account|over) storage limit|insufficient (?:disk|mailbox) (?:space|quota)|(?:user|account|recipient|mailbox) (?:is |has )?over ?quota|too many (?:messages|mails) on the server/,
    samples: [
      '552 Requested mail action aborted: exceeded storage allocation Quota exceeded.',
      '552 5.1.1 5.2.2 sorry, final recipient mailbox is full (chkuser)',
      '552 5.1.1 <full@comcast.net> recipient rejected - extended quota violation',
      '550 sorry, user over quota [mx1] (#5.1.1)',
      '550 Benutzer hat das Speichervolumen ueberschritten. / User has exhausted allowed storage space.',
      '550 Benutzer hat zuviele Mails auf dem Server. / User has too many messages on the server.',
      '552 recipient storage full, try again later',
      '552 Mailbox limit exeeded for this email address',
      '552 Account storage limit',
    ],
  },
  {
    // Requires a word for the state, or no words at all. AOL, Amazon SES and Exchange use the same code for refusals of
    // content and of senders, and Interia for a full mailbox.
    meaning: 'disabled',
    enhanced: /^5\.2\.1$/,
    text: /^[<>\s:;,.]*(?:<address>)?[\s:;,.]*$|^(?:\W*<address>)?\W*(?:inactive|disabled|deactivated|suspended|expired|closed|discontinued|terminated|deleted)\W*$|\b(?:inactive|expired|closed|discontinued|terminated|deleted) (?:account|mailbox|user|address)\b|\bmailbox is inactive\b/,
    except: besideTheMailbox,
    samples: [
      '550-5.2.1 The email account that you tried to reach is inactive. For more\n550-5.2.1 information, go to\n550 5.2.1  https://support.google.com/mail/?p=DisabledUser - gsmtp',
      '550 5.2.1 RACT 192.0.2.1: Mailbox is inactive: <former@hanmail.net>',
    ],
  },
  {
    meaning: 'disabled',
    text: new RegExp(
      [
        `\\b${mailboxNouns}${thatYouNamed}?(?: status)?(?: (?:for|of) <address>)?(?: (?!temporarily\\b|not\\b|${otherNouns})\\S+)?(?: (?:is|has|been|was|now|currently|permanently|administrati\\w+))* (?:disabled|deactivated|inactive|dormant|suspended|locked|discontinued|closed|terminated|cancell?ed|retired|removed|decommissioned|deprovisioned|purged|abandoned|obsolete|dead|expired|deleted|frozen)(?! (?:to|from(?! (?:this|our) (?:server|system|site|host|directory|domain))|until|while|because|by (?:another|an?|filter|policy|process)|for (?:the|mail|maintenance|send\\w*|external|exceeding)|the|your|you|this|a)\\b)`,
        '\\b(?:user|owner|customer|subscriber) (?:has )?(?:deleted|closed|cancell?ed) (?:this|the|his|her|their) (?:mailbox|account|address)\\b',
        '(?:disabled|deactivated|suspended|terminated|dormant|cancell?ed|deleted) (?:user|account|mailbox|recipient|subscriber)',
        "inactive (?:user|account|mailbox|mbox|recipient|email address)|(?:user|account|mailbox) (?:is )?not activ(?:e|ated)\\b|no longer (?:active|in use|in service)|mail receiving disabled|user account is unavailable|no longer (?:accept|receiv)(?:s|es|ing) (?:any )?(?:e-?)?mails?(?! (?:by|from|with|to|through|via)\\b)|no longer using this account|no recipient activity since|should log in to enable receiving|new mail is not currently being accepted for this mailbox|is now disabled with mta service|has mail disabled|inactive on this domain|recipient suspend the service|user hasn't entered during last|recipient never logged on|<address> has been suspended",
      ].join('|'),
    ),
    except:
      /\btry again\b|mailing lists?|\b(?:reseller|hosting|domain|tenant|billing|company|organi[sz]ation|server|web ?site|trial)(?:'s)? account\b|\bdomains\b|\bhosting\b|\b(?:external|members|outside|(?:domain|server|service|host|system|site|list|group) (?:is |has been )?no longer)\b/,
    samples: [
      '554 30 Sorry, your message to former@aol.jp cannot be delivered. This mailbox is disabled (554.30)',
      '550 5.1.1 <former@icloud.com>: inactive email address',
      '550 Message was not accepted -- invalid mailbox. Local mailbox former@mail.ru is unavailable: account is disabled',
      '550 User account not activated',
      '550 Mailbox is frozen.',
      '550 former@qq.com is a deactivated mailbox',
      '550 <former@ordinary.example>: User status is locked.',
      '550 [suspend] Mailbox currently suspended--Please contact correspondent directly.',
      '552 former@ordinary.example mail receiving disabled, rejecting',
      '554 Mailaddress is administratively disabled',
      "550 User hasn't entered during last 180 days",
      "550 User 'former' has mail disabled.",
      '550 former@earthlink.net...User account is unavailable',
      '550 This address no longer accepts mail.',
      "540 5.7.1 <former@ordinary.example>: Recipient address rejected: Your emails has been returned because the intented recipient's email account has been suspended",
    ],
  },
  {
    // "Blocked" is the state of the mailbox here, not an action against us.
    meaning: 'disabled',
    text: blockedForDisuse,
    samples: [
      '550 former@ordinary.example Account blocked due to inactivity',
      '550 Mailbox is blocked due to long-time inactivity',
    ],
  },
];
