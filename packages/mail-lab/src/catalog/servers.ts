import type { Reply, SmtpScript } from '../script.ts';

/**
 * The wording of replies from real-world mail servers. Each function takes the known mailboxes and any departure from
 * the usual script.
 */

type Departure = Partial<SmtpScript>;

export function postfix(mailboxes: readonly string[], departure: Departure = {}): SmtpScript {
  return {
    banner: '220 {host} ESMTP Postfix',
    capabilities: [
      'PIPELINING',
      'SIZE 10240000',
      'VRFY',
      'STARTTLS',
      'ENHANCEDSTATUSCODES',
      '8BITMIME',
      'DSN',
      'SMTPUTF8',
      'CHUNKING',
    ],
    mail: '250 2.1.0 Ok',
    otherRecipients:
      '550 5.1.1 <{recipient}>: Recipient address rejected: User unknown in local recipient table',
    vrfy: '252 2.0.0 {recipient}',
    ...departure,
    mailboxes: { ...accepted(mailboxes, '250 2.1.5 Ok'), ...departure.mailboxes },
  };
}

/** A Postfix server whose domain delivers every unknown local part to one mailbox. */
export function catchAllPostfix(departure: Departure = {}): SmtpScript {
  return postfix([], { otherRecipients: '250 2.1.5 Ok', ...departure });
}

export function exim(mailboxes: readonly string[], departure: Departure = {}): SmtpScript {
  return {
    banner: '220 {host} ESMTP Exim 4.98',
    capabilities: ['SIZE 52428800', '8BITMIME', 'PIPELINING', 'CHUNKING', 'STARTTLS', 'HELP'],
    mail: '250 OK',
    otherRecipients: '550 No such user here',
    rset: '250 Reset OK',
    quit: '221 {host} closing connection',
    ...departure,
    mailboxes: { ...accepted(mailboxes, '250 Accepted'), ...departure.mailboxes },
  };
}

export function qmail(mailboxes: readonly string[], departure: Departure = {}): SmtpScript {
  return {
    banner: '220 {host} ESMTP',
    capabilities: ['PIPELINING', '8BITMIME'],
    mail: '250 ok',
    otherRecipients: '550 sorry, no mailbox here by that name. (#5.1.1 - chkuser)',
    rset: '250 flushed',
    quit: '221 {host}',
    ...departure,
    mailboxes: { ...accepted(mailboxes, '250 ok'), ...departure.mailboxes },
  };
}

/** Google's wording: several lines, each repeating the enhanced status code. */
export function google(mailboxes: readonly string[], departure: Departure = {}): SmtpScript {
  return {
    banner: '220 mx.google.com ESMTP 4fb4d7f45d1cf-5c0a1b2 - gsmtp',
    capabilities: [
      'SIZE 157286400',
      '8BITMIME',
      'STARTTLS',
      'ENHANCEDSTATUSCODES',
      'PIPELINING',
      'CHUNKING',
      'SMTPUTF8',
    ],
    mail: '250 2.1.0 OK 4fb4d7f45d1cf-5c0a1b2 - gsmtp',
    otherRecipients: [
      '550-5.1.1 The email account that you tried to reach does not exist. Please try',
      "550-5.1.1 double-checking the recipient's email address for typos or",
      '550-5.1.1 unnecessary spaces. For more information, go to',
      '550 5.1.1  https://support.google.com/mail/?p=NoSuchUser 4fb4d7f45d1cf-5c0a1b2 - gsmtp',
    ],
    subaddresses: true,
    ...departure,
    mailboxes: {
      ...accepted(mailboxes, '250 2.1.5 OK 4fb4d7f45d1cf-5c0a1b2 - gsmtp'),
      ...departure.mailboxes,
    },
  };
}

export const googleFull: Reply = [
  "452-4.2.2 The recipient's inbox is out of storage space. Please direct the",
  '452-4.2.2 recipient to',
  '452 4.2.2  https://support.google.com/mail/?p=OverQuotaTemp 4fb4d7f45d1cf-5c0a1b2 - gsmtp',
];

export const googleDisabled: Reply = [
  '550-5.2.1 The email account that you tried to reach is inactive. For more',
  '550-5.2.1 information, go to',
  '550 5.2.1  https://support.google.com/mail/?p=DisabledUser 4fb4d7f45d1cf-5c0a1b2 - gsmtp',
];

/** Microsoft 365 with Directory-Based Edge Blocking, which words a missing mailbox as "Access denied". */
export function microsoft365(mailboxes: readonly string[], departure: Departure = {}): SmtpScript {
  return {
    banner: '220 AM3PEPF0000A791.mail.protection.outlook.com Microsoft ESMTP MAIL Service ready',
    capabilities: [
      'SIZE 157286400',
      'PIPELINING',
      'DSN',
      'ENHANCEDSTATUSCODES',
      'STARTTLS',
      '8BITMIME',
      'BINARYMIME',
      'CHUNKING',
      'SMTPUTF8',
    ],
    mail: '250 2.1.0 Sender OK',
    otherRecipients:
      '550 5.4.1 Recipient address rejected: Access denied. [AM3PEPF0000A791.eurprd04.prod.outlook.com]',
    quit: '221 2.0.0 Service closing transmission channel',
    ...departure,
    mailboxes: { ...accepted(mailboxes, '250 2.1.5 Recipient OK'), ...departure.mailboxes },
  };
}

function accepted(mailboxes: readonly string[], reply: Reply): Record<string, Reply> {
  return Object.fromEntries(mailboxes.map(mailbox => [mailbox, reply]));
}
