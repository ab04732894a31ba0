import { describe, expect, test } from '@jest/globals';
import { newId, type Verdict, type VerdictReason } from '@mailproof/shared-types';
import { deferredInPlainWords, emailOf } from '../testing/fakes.ts';
import type { Evidence } from '../verdict/evidence.ts';
import { retryProbe } from './retry-probe.ts';
import type { Validation } from './validate-address.ts';

/** What happens to a deferred probe whose host now gives this reason. */
async function retry(
  reason: VerdictReason,
  attempts = 1,
  evidence: Pick<Evidence, 'attempts'> = { attempts: [] },
): Promise<string> {
  const probe = { deferredProbeId: newId('deferredProbe'), email: emailOf('ada@a.example'), attempts };
  const verdict = { result: 'unknown', reason } as Verdict;
  let fate = 'nothing';
  await retryProbe(
    {
      probes: {
        find: async () => probe,
        postpone: async () => {
          fate = 'postponed';
        },
        finish: async () => {
          fate = 'finished';
        },
      },
      validate: async () => ({ verdict, evidence }) as Validation,
      remember: async () => undefined,
    },
    probe.deferredProbeId,
  );
  return fate;
}

describe('a deferred address', () => {
  test.each<VerdictReason>([
    'greylisted',
    'temporary_failure',
    'host_busy',
    'session_timeout',
    'connection_failed',
  ])('is probed one more time if the host says %s', async reason => {
    expect(await retry(reason)).toBe('postponed');
  });

  test.each<VerdictReason>(['mailbox_exists', 'mailbox_missing', 'catch_all', 'blocked', 'policy'])(
    'is forgotten where the host says %s',
    async reason => {
      expect(await retry(reason)).toBe('finished');
    },
  );

  test('is forgotten where the host puts it off again without calling itself a greylist', async () => {
    expect(await retry('temporary_failure', 1, deferredInPlainWords())).toBe('finished');
  });

  test('is given up in the end', async () => {
    expect(await retry('greylisted', 6)).toBe('finished');
  });
});
