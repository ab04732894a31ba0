import { describe, expect, it } from '@jest/globals';
import type { Verdict, VerdictReason } from '@mailproof/shared-types';
import { deferredInPlainWords } from '../testing/fakes.ts';
import type { Validation } from '../validation/validate-address.ts';
import { askAgainAfterMs, waitOf } from './ask-again.ts';

function answer(reason: VerdictReason, result: Verdict['result'] = 'unknown') {
  return { verdict: { result, reason } as Verdict, validation: undefined };
}

/** The waits of an address that gets the same answer each time. */
function waits(reason: VerdictReason): number[] {
  const all: number[] = [];
  for (let attempts = 1; ; attempts += 1) {
    const waitMs = askAgainAfterMs(answer(reason), attempts);
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
