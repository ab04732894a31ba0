import { expect, test } from '@jest/globals';
import type { Finding } from '../smtp/conversation.ts';
import { emailOf } from '../testing/fakes.ts';
import { describeVerdict, suggestAddress } from './describe.ts';
import type { Attempt } from './evidence.ts';

test.each([
  ['Ada.L@gmial.com', 'Ada.L@gmail.com'],
  ['ada@hotmial.com', 'ada@hotmail.com'],
  ['ada@yaho.com', 'ada@yahoo.com'],
  ['"a b"@outlok.com', '"a b"@outlook.com'],
])('%s was probably meant as %s', (written, meant) => {
  expect(suggestAddress(emailOf(written))).toBe(meant);
});

test.each(['ada@gmail.com', 'ada@ordinary.example', 'ada@web.de', 'ada@[192.0.2.1]'])(
  '%s is left as it is',
  written => {
    expect(suggestAddress(emailOf(written))).toBeUndefined();
  },
);

function answerOf(host: string, address: string, recipient: Finding): Attempt {
  const madeUp = [{ shape: 'alike', localPart: 'letters', finding: 'missing', first: true }] as const;
  const result = { kind: 'answered', recipient, madeUp, comparedMsAgo: 0 } as const;
  return { kind: 'probed', host, address, result, transcript: [] };
}

test.each([
  ['mx1.a.example', 'missing', undefined],
  [
    'mx1.a.example',
    'accepted',
    'Addresses of one mail host give different answers: mx1.a.example (invalid, mailbox_missing), mx1.a.example (ok, mailbox_exists).',
  ],
  [
    'mx2.a.example',
    'accepted',
    'Mail hosts of equal preference give different answers: mx1.a.example (invalid, mailbox_missing), mx2.a.example (ok, mailbox_exists).',
  ],
] as const)('a second answer at %s (%s) is described', (host, recipient, sentence) => {
  const attempts = [answerOf('mx1.a.example', '8.0.0.1', 'missing'), answerOf(host, '8.0.0.2', recipient)];
  const { explanation } = describeVerdict({
    email: emailOf('ada@a.example'),
    decision: { result: 'unknown', reason: 'probe_inconclusive' },
    evidence: { attempts },
    mxHost: 'mx1.a.example',
    mxKind: undefined,
    mailboxProvider: undefined,
    isDisposable: false,
    isRelay: false,
    roles: new Set(),
    elapsedMs: 0,
  });
  expect(explanation.includes('different answers')).toBe(sentence !== undefined);
  expect(explanation).toContain(sentence ?? '');
});
