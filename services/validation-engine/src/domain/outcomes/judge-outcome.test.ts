import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { judgeOutcome } from './judge-outcome.ts';

const bounced = (text?: string, code?: string) => judgeOutcome({ outcome: 'bounced', text, code });

describe('an outcome that is no bounce', () => {
  test.each(['delivered', 'replied'] as const)('is what it says: %s', outcome => {
    expect(judgeOutcome({ outcome, code: '550 5.1.1', text: 'User unknown' })).toBe(outcome);
  });
});

describe('a bounce', () => {
  test.each([
    [
      'smtp; 550 5.1.1 <ada@a.example>: Recipient address rejected: User unknown',
      undefined,
      'mailbox_missing',
    ],
    ['550-5.1.1 The email account that you tried to reach does not exist.', undefined, 'mailbox_missing'],
    [
      '550 5.4.1 Recipient address rejected: Access denied. [AM3PEPF0000A791.eurprd04.prod.outlook.com]',
      undefined,
      'mailbox_missing',
    ],
    ['550 No such user here', undefined, 'mailbox_missing'],
    ['User unknown', undefined, 'mailbox_missing'],
    ['User unknown', '550', 'mailbox_missing'],
    [undefined, '5.1.1', 'mailbox_missing'],
    [undefined, '550 5.1.1', 'mailbox_missing'],
    ['554 5.7.1 Recipient address rejected: Account disabled', undefined, 'mailbox_disabled'],
    [undefined, '5.2.1', 'mailbox_disabled'],
    ['552 5.2.2 mailbox full; STOREDRV.Deliver; over quota', undefined, 'mailbox_full'],
    ['452 4.2.2 Mailbox full', undefined, 'mailbox_full'],
    ['450-4.2.1 The user is receiving mail too quickly.', undefined, 'mailbox_rate_limited'],
    [
      '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org',
      '554',
      'not_about_mailbox',
    ],
    ['550 5.7.26 This mail is unauthenticated', undefined, 'not_about_mailbox'],
    ['550 5.7.1 Message rejected as spam by content filtering', undefined, 'not_about_mailbox'],
    ['451 4.7.1 Greylisted, try again later', undefined, 'not_about_mailbox'],
    ['4.4.7 Message expired: unable to deliver', undefined, 'not_about_mailbox'],
    ['450 4.1.1 User unknown in local recipient table', undefined, 'not_about_mailbox'],
    ['550 Requested action not taken: mailbox unavailable', undefined, 'not_about_mailbox'],
    [undefined, '550', 'not_about_mailbox'],
    [undefined, undefined, 'not_about_mailbox'],
    ['', '', 'not_about_mailbox'],
    ['the dog ate it', undefined, 'not_about_mailbox'],
    ['Ok', '250', 'not_about_mailbox'],
  ] as const)('%s %s: %s', (text, code, kind) => {
    expect(bounced(text, code)).toBe(kind);
  });

  test('is read out of a whole notification', () => {
    const notification = [
      'Reporting-MTA: dns; mail.sender.example',
      'Final-Recipient: rfc822; ada@yahoo.com',
      'Action: failed',
      'Status: 5.0.0',
      'Remote-MTA: dns; mta5.am0.yahoodns.net',
      'Diagnostic-Code: smtp; 554 delivery error: dd This user doesn’t have a yahoo.com',
      ' account (ada@yahoo.com) [0] - mta4012.mail.bf1.yahoo.com',
    ].join('\r\n');
    expect(bounced(notification)).toBe('mailbox_missing');
  });

  test('is read out of Postfix’s sentence, by the command that was refused', () => {
    const said = (reply: string, command: string) =>
      bounced(`host mx.a.example[192.0.2.1] said: ${reply} (in reply to ${command} command)`);
    expect(said('550 5.1.1 <ada@a.example>: User unknown', 'RCPT TO')).toBe('mailbox_missing');
    expect(said('550 5.1.1 <ada@a.example>: User unknown', 'end of DATA')).toBe('mailbox_missing');
    expect(said('550 5.1.1 User unknown', 'MAIL FROM')).toBe('not_about_mailbox');
  });

  test('does not count against a mailbox whose name is the reason', () => {
    expect(bounced('550 <user.unknown@a.example>: rejected by policy')).toBe('not_about_mailbox');
  });

  test.each([
    ['550 5.1.1 User unknown', 'not_about_mailbox'],
    ['554 5.7.1 Recipient address rejected: Account disabled', 'not_about_mailbox'],
    ['552 5.2.2 mailbox full', 'mailbox_full'],
    ['450-4.2.1 The user is receiving mail too quickly.', 'mailbox_rate_limited'],
  ] as const)('that the mail provider calls soft never counts against the mailbox: %s', (text, kind) => {
    expect(judgeOutcome({ outcome: 'bounced', text, isSoft: true })).toBe(kind);
  });

  test('is read in bounded time, regardless of its text', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 1_000, unit: 'binary' }),
        fc.string({ maxLength: 100 }),
        (text, code) => {
          expect(typeof bounced(text, code)).toBe('string');
        },
      ),
    );
  });
});
