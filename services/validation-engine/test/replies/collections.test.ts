import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { classifyReply } from '../../src/domain/reply/classify-reply.ts';
import { readReply } from '../../src/domain/smtp/reply.ts';
import { gone, other } from './read-replies.ts';

function makesInvalid(line: string, localPart?: string): boolean {
  const texts = line.split('\n').map(text => text.slice(4));
  return ['missing', 'disabled'].includes(
    classifyReply(readReply(Number(line.slice(0, 3)), texts), 'rcpt', undefined, localPart),
  );
}

/** A hash of the line splits a collection: rules were written from one half and are measured on the other. */
function isKeptFromTheRules(line: string): boolean {
  return ((createHash('sha256').update(line).digest()[0] ?? 0) & 1) === 1;
}

const goneIn = (...collections: readonly string[]) => collections.flatMap(name => gone.get(name) ?? []);
const otherIn = (collection: string) => other.get(collection) ?? [];

describe('replies that say that the mailbox is gone', () => {
  /** The collections, which half of them counts, how many replies there are at least, and the share that is read so. */
  test.each([
    [['bounce-rules'], 'all', 150, 0.95],
    [['servers'], 'kept', 40, 0.9],
    [['composed'], 'kept', 90, 0.9],
    [['experience'], 'kept', 60, 0.9],
    [['languages'], 'kept', 60, 0.9],
    [['published', 'published-languages'], 'kept', 60, 0.9],
    [['plain-words'], 'all', 120, 0.9],
    [['new-languages'], 'all', 20, 0.99],
    [['independent'], 'all', 100, 0.9],
    [['independent-plain'], 'all', 100, 0.9],
    [['eighth'], 'kept', 60, 0.8],
    [['ninth'], 'all', 80, 0.9],
    [['tenth'], 'all', 150, 0.9],
  ])('%s, %s: of more than %d, the share %d makes an address invalid', (names, half, countMin, shareMin) => {
    const lines = goneIn(...names).filter(line => half === 'all' || isKeptFromTheRules(line));
    expect(lines.length).toBeGreaterThan(countMin);
    expect(lines.filter(line => makesInvalid(line)).length / lines.length).toBeGreaterThan(shareMin);
  });

  test('may name the recipient anywhere', () => {
    const named = goneIn('servers', 'composed', 'experience', 'published')
      .filter(line => makesInvalid(line) && /\bnobody\b(?!@| (?:by|of|with) that| here)/i.test(line))
      .map(line => line.replace(/\bnobody\b(?!@)/gi, 'jsmith'));
    expect(named.length).toBeGreaterThan(30);
    expect(named.filter(line => !makesInvalid(line, 'jsmith'))).toEqual([]);
  });
});

describe('replies that say something else', () => {
  test.each([
    ['bounce-rules', 150],
    ['servers', 250],
    ['experience', 300],
    ['languages', 100],
    ['published', 200],
    ['misleading', 300],
    ['other-senses', 200],
    ['independent', 90],
    ['independent-turned', 170],
    ['independent-composed', 130],
    ['eighth', 120],
    ['ninth', 110],
    ['tenth', 250],
  ])('%s: none of more than %d makes an address invalid', (collection, countMin) => {
    const lines = otherIn(collection);
    expect(lines.length).toBeGreaterThan(countMin);
    expect(lines.filter(line => makesInvalid(line))).toEqual([]);
  });

  const codes = ['5.0.0', '5.1.0', '5.1.1', '5.1.2', '5.1.3', '5.1.6', '5.1.10', '5.2.0', '5.2.1', '5.7.1'];
  const address = '<ada@a.example>';
  const heads = ['', `${address}: `, `${address}... `, `${address}: Recipient address rejected: `];

  test.each(['', ...codes.map(code => `${code} `)])(
    'about the mail or the sender make no address invalid behind the code "%s"',
    code => {
      const words = otherIn('about-the-mail');
      expect(words.length).toBeGreaterThan(150);
      const lines = heads.flatMap(head => words.map(text => `550 ${code}${head}${text}`));
      expect(lines.filter(line => makesInvalid(line))).toEqual([]);
    },
  );

  test.each([
    '550 Rejected, see https://www.ordinary.example/user-unknown/no-such-user',
    '550 5.7.1 Blocked: http://help.ordinary.example/?reason=user%20unknown',
    '550 Rejected by mx.no-such-user.example',
    '550 mail from user-not-found.example is not wanted',
    '550 5.1.1 http://www.ordinary.example/mailbox-does-not-exist: rate limit',
  ])('%s names a page or a host', line => {
    expect(makesInvalid(line)).toBe(false);
  });
});

test.each([
  'full',
  'blocked',
  'disabled',
  'user-unknown',
  'no-such-user',
  'mailbox.not.found',
  'invalid',
  'expired.account',
])('the echoed recipient %s@ neither makes nor hides an answer', localPart => {
  for (const address of [`<${localPart}@policy.example>`, `${localPart}@full.example`]) {
    expect(makesInvalid(`550 ${address}: Rejected`)).toBe(false);
    expect(makesInvalid(`550 5.7.1 ${address}... Access denied`)).toBe(false);
    expect(makesInvalid(`550 ${address}: User unknown`)).toBe(true);
    expect(makesInvalid(`550 5.1.1 ${address}: Recipient address rejected: User unknown`)).toBe(true);
  }
});
