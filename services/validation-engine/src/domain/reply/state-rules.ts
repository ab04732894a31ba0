import type { ReplyRule } from './reply-rule.ts';

/** Replies about a mailbox that exists, but takes no mail now or no mail any more. */
export const stateRules: readonly ReplyRule[] = [
  {
    // Ahead of "disabled": Google says this under 4.2.1 and 5.2.1 alike.
    meaning: 'rate_limited',
    text: /receiving mail (?:too quickly|at a rate)|receiving too much mail|too many messages (?:for|to) this (?:user|recipient|mailbox)|recipient.{0,30}(?:rate|receiving) limit exceeded/,
    samples: [
      '450-4.2.1 The user you are trying to contact is receiving mail too quickly. Please resend your message at a later time.',
      '550-5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages from being delivered.',
      '432 4.3.2 Recipient mailbox receiving limit exceeded',
    ],
  },
  {
    meaning: 'full',
    enhanced: /^[45]\.2\.2$/,
    samples: [
      '452-4.2.2 The recipient’s inbox is out of storage space. Please direct the recipient to',
      '552 5.2.2 <ada@ordinary.example>: Recipient address rejected: Quota exceeded',
      '554 5.2.2 mailbox full; STOREDRV.Deliver; over quota',
      '452 4.2.2 Mailbox full',
    ],
  },
  {
    meaning: 'full',
    text: /mailbox (?:is |has )?(?:full|over ?quota|exceeded)|(?:mail)?box full|(?:over|exceed\w*|out of) (?:the |his |her |their |its )?(?:storage|mailbox|disk|mail)? ?(?:quota|storage|space|limit)|quota (?:is )?(?:exceeded|full)|inbox is full|account is full|storage limit|insufficient (?:disk|mailbox) (?:space|quota)|(?:user|account|recipient|mailbox) (?:is |has )?over ?quota|too many (?:messages|mails) on the server|mailfolder is full/,
    samples: [
      '552 Requested mail action aborted: exceeded storage allocation, mailbox full',
      '550 Mailbox quota exceeded / Mailbox voll',
      '452 <ada@ordinary.example> mailbox is full',
      '552 <ada@ordinary.example> user is over quota',
      '550 5.7.1 The recipient’s mailbox is over its storage limit',
      '422 The user’s account is over quota',
      '550 user has too many messages on the server',
      '554 RP:OUT: recipient inbox is full',
    ],
  },
  {
    meaning: 'disabled',
    enhanced: /^5\.2\.1$/,
    text: /^(?!.*\b(?:message|mail|connection) (?:is |was |has been )?(?:blocked|rejected|refused))/,
    samples: [
      '550-5.2.1 The email account that you tried to reach is inactive. For more information, go to https://support.google.com/mail/?p=DisabledUser',
      '550 5.2.1 <ada@ordinary.example>: Recipient address rejected: This mailbox has been disabled',
      '550 5.2.1 RACT 192.0.2.1: Mailbox is inactive: <ada@ordinary.example>',
    ],
  },
  {
    meaning: 'disabled',
    text: /(?:account|mailbox|user|address|recipient)(?: (?!temporarily)\S+)? (?:is |has been |was )?(?:currently |permanently )?(?:disabled|deactivated|inactive|suspended|locked|discontinued|closed|terminated|expired|deleted)|disabled (?:user|account|mailbox|recipient)|inactive (?:user|account|mailbox|recipient|email address)|suspended (?:user|account|mailbox)|mailbox (?:is )?(?:inactive|locked)|no longer (?:active|in use|in service)|user not active|account (?:not active|inactive)/,
    samples: [
      '554 5.7.1 <ada@ordinary.example>: Recipient address rejected: Account disabled',
      '554 30 Sorry, your message to ada@ordinary.example cannot be delivered. This mailbox is disabled (554.30).',
      '550 inactive email address',
      '554 delivery error: This account has been disabled or discontinued [#102]',
      '550 Account inactive',
      '550 The recipient’s mailbox has been deactivated',
      '550 Address is no longer in use',
    ],
  },
];
