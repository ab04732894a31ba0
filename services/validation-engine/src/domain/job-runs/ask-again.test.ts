import { describe, expect, it } from '@jest/globals';
import type { Verdict, VerdictReason } from '@mailproof/shared-types';
import type { MadeUpAnswer } from '../smtp/ask-made-up.ts';
import type { Finding } from '../smtp/conversation.ts';
import { deferredInPlainWords } from '../testing/fakes.ts';
import type { Validation } from '../validation/validate-address.ts';
import { askAgainAfterMs, waitOf } from './ask-again.ts';

function answer(reason: VerdictReason, result: Verdict['result'] = 'unknown') {
  return { verdict: { result, reason } as Verdict, validation: undefined };
}

/** A host that has been asked about the recipient and about made-up ones. */
function probed(recipient: Finding, madeUp: readonly MadeUpAnswer[]): Validation {
  const result = { kind: 'answered', recipient, madeUp, comparedMsAgo: 0 } as const;
  const at = { kind: 'probed', host: 'mx.a.example', address: '192.0.2.1', transcript: [] } as const;
  return { evidence: { attempts: [{ ...at, result }] } } as unknown as Validation;
}

/** The waits of an address that gets the same answer each time. */
function waits(reason: VerdictReason, validation?: Validation): number[] {
  const all: number[] = [];
  for (let attempts = 1; ; attempts += 1) {
    const waitMs = askAgainAfterMs({ ...answer(reason), validation }, attempts);
    if (waitMs === undefined) {
      return all;
    }
    all.push(waitMs);
  }
}

describe('asking about an address of a job again', () => {
  it('waits for greylists for an hour and a half at most', () => {
    expect(waits('greylisted').map(ms => ms / 60_000)).toEqual([6, 18, 54]);
  });

  it('comes back where we crowd a host ourselves', () => {
    expect(waits('host_busy').map(ms => ms / 1_000)).toEqual([30, 60, 120, 240, 480]);
  });

  it.each(['temporary_failure', 'session_timeout', 'connection_failed', 'dns_timeout'] as const)(
    'gives %s a second chance',
    reason => expect(waits(reason)).toEqual([60_000]),
  );

  it('gives a host that may be a greylist one second chance, when most greylists have opened', () => {
    const validation = { evidence: deferredInPlainWords() } as Validation;
    const deferred = { ...answer('temporary_failure'), validation };
    expect([1, 2].map(attempts => askAgainAfterMs(deferred, attempts))).toEqual([360_000, undefined]);
  });

  it.each([
    ['a made-up recipient was not answered in time', 'timeout', 'accepted', [60_000]],
    ['the session ended before that', 'closed', 'accepted', [60_000]],
    ['the host answered about one', 'policy', 'accepted', []],
    ['the host did not accept the recipient', 'timeout', 'temporary', []],
  ] as const)('compares an acceptance again where %s', (_, finding, recipient, expected) => {
    const compared = probed(recipient, [{ shape: 'alike', localPart: 'eva.lind', finding, first: true }]);
    expect(waits('probe_inconclusive', compared)).toEqual(expected);
  });

  it('takes a host that contradicts itself for an answer', () => {
    expect(waits('probe_inconclusive', probed('accepted', []))).toEqual([]);
  });

  it.each(['blocked', 'policy', 'do_not_probe', 'harvest_suspected', 'mailbox_full'] as const)(
    'takes %s for an answer',
    reason => expect(waits(reason)).toEqual([]),
  );

  it('takes every verdict for an answer', () => {
    expect(askAgainAfterMs(answer('mailbox_exists', 'ok'), 1)).toBeUndefined();
    expect(askAgainAfterMs(answer('mailbox_missing', 'invalid'), 1)).toBeUndefined();
  });

  it.each([
    ['greylisted', 'greylisting'],
    ['host_busy', 'host_limit'],
    ['own_network_failed', 'retry'],
    ['dns_timeout', 'retry'],
  ] as const)('says that %s waits for %s', (reason, wait) => {
    expect(waitOf(reason)).toBe(wait);
  });
});
