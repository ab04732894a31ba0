import { describe, expect, test } from '@jest/globals';
import { readReply } from '../smtp/reply.ts';
import { classifyReply } from './classify-reply.ts';
import { aboutTheMail } from './samples/about-the-mail.ts';
import { saysThatTheMailboxIsGone } from './samples/third-holdout.ts';
import { saysNoSuchThing } from './samples/third-holdout-others.ts';

function makesInvalid(line: string): boolean {
  const texts = line.split('\n').map(text => text.slice(4));
  return ['missing', 'disabled'].includes(classifyReply(readReply(Number(line.slice(0, 3)), texts), 'rcpt'));
}

describe('of the wordings of public sets of bounce rules', () => {
  test('none makes an address invalid that says something else', () => {
    expect(saysNoSuchThing.length).toBeGreaterThan(150);
    expect(saysNoSuchThing.filter(makesInvalid)).toEqual([]);
  });

  test('at most one in twenty is missed that says that the mailbox is gone', () => {
    expect(saysThatTheMailboxIsGone.length).toBeGreaterThan(150);
    const missed = saysThatTheMailboxIsGone.filter(line => !makesInvalid(line));
    expect(missed.length / saysThatTheMailboxIsGone.length).toBeLessThan(0.05);
  });
});

describe('what hosts say of the mail and of us', () => {
  const codes = [
    '',
    '5.0.0 ',
    '5.1.0 ',
    '5.1.1 ',
    '5.1.2 ',
    '5.1.3 ',
    '5.1.6 ',
    '5.1.10 ',
    '5.2.0 ',
    '5.2.1 ',
    '5.7.1 ',
  ];
  const address = '<ada@a.example>';
  const heads = ['', `${address}: `, `${address}... `, `${address}: Recipient address rejected: `];

  test.each(codes)('makes no address invalid behind the code "%s"', code => {
    const lines = heads.flatMap(head => aboutTheMail.map(words => `550 ${code}${head}${words}`));
    expect(lines.filter(makesInvalid)).toEqual([]);
  });
});
