import { afterEach, describe, expect, test } from '@jest/globals';
import { deadlineAfter } from '../src/domain/concurrency/deadline.ts';
import { judgeComparison, madeUpAnswer } from '../src/domain/smtp/ask-made-up.ts';
import { createComparisons } from '../src/domain/smtp/comparison.ts';
import { createLocalComparisonMemory } from '../src/domain/smtp/local-comparison-memory.ts';
import { probeRecipient } from '../src/domain/smtp/probe-recipient.ts';
import { emailOf } from '../src/domain/testing/fakes.ts';
import { decideByProbe } from '../src/domain/verdict/decide.ts';
import { clock, closeAll, type Manner, orderly, poolAt, serve, type UnrulyHost } from './unruly-host.ts';

afterEach(closeAll);

const madeUp = [
  { shape: 'alike', localPart: 'qwertz' },
  { shape: 'random', localPart: 'anna.17' },
] as const;

/** Returns the verdicts on recipients that are probed one after the other, with a memory for comparisons. */
async function verdictsAt(host: UnrulyHost, ...names: readonly string[]): Promise<string[]> {
  const asker = poolAt(host);
  const comparisons = createComparisons(
    {
      asker,
      memory: createLocalComparisonMemory(clock),
      clock,
      nowMs: Date.now,
      onStoreFailed: error => {
        throw error;
      },
    },
    { conclusiveMs: 60_000, inconclusiveMs: 0 },
  );
  const verdicts: string[] = [];
  for (const name of names) {
    const probe = await probeRecipient(
      { asker, comparisons, clock },
      {
        madeUp,
        host: 'mx.d.example',
        address: '127.0.0.1',
        provider: undefined,
        email: emailOf(`${name}@d.example`),
        oneRecipientPerTransaction: false,
      },
      deadlineAfter(clock, 60_000, new AbortController().signal),
    );
    verdicts.push(probe.kind === 'probed' ? decideByProbe(probe.result).result : probe.failure);
  }
  return verdicts;
}

const refusals = [
  '550 Rejected',
  '450 4.1.1 User unknown',
  '554 5.7.1 Recipient address rejected: Access denied',
];

/** Replies with the refusal to every recipient that the test chooses, and with 250 to all others. */
function refusing(
  refusal: string,
  isRefused: (name: string, visit: Parameters<Manner>[1]) => boolean,
): Manner {
  return (line, visit) => {
    const name = /^RCPT TO:<(.*)@/.exec(line)?.[1];
    if (name === undefined) {
      return orderly(line);
    }
    return isRefused(name, visit) ? refusal : '250 2.1.5 Recipient ok';
  };
}

describe.each(refusals)('made-up recipients that get "%s"', refusal => {
  test('show that a host knows its recipients, where it accepts the real one before and after them', async () => {
    const host = await serve(refusing(refusal, name => !name.startsWith('here')));
    expect(await verdictsAt(host, 'here1', 'here2', 'nobody')).toEqual(['ok', 'ok', 'unknown']);
    // The first session, one for each made-up recipient, one for the second address, and one for the made-up recipient
    // that it needs.
    expect(host.visits.length).toBeLessThanOrEqual(5);
  });

  test('show nothing of a host that says it from the second recipient of a session on', async () => {
    const host = await serve(refusing(refusal, (_name, { recipients }) => recipients > 1));
    expect(await verdictsAt(host, 'here1')).toEqual(['catch_all']);
  });

  test('show nothing of a host that refuses every recipient after a while', async () => {
    let asked = 0;
    const host = await serve(
      refusing(refusal, () => {
        asked += 1;
        return asked > 1;
      }),
    );
    expect(await verdictsAt(host, 'here1')).toEqual(['unknown']);
  });
});

test.each([2, 4, 6, 8, 10])(
  'a host that refuses the sender of the next %d transactions shows nothing about its recipients',
  async refused => {
    let senders = 0;
    const host = await serve(line => {
      if (line.startsWith('RCPT')) return '250 2.1.5 Recipient ok';
      senders += line.startsWith('MAIL') ? 1 : 0;
      const isRefused = line.startsWith('MAIL') && senders > 1 && senders <= refused + 1;
      return isRefused ? '550 5.7.1 Not now' : orderly(line);
    });
    expect(['catch_all', 'unknown']).toContain((await verdictsAt(host, 'here1'))[0]);
  },
);

test('a refusal of the sender is no refusal of a name in the form of the address', () => {
  const [alike, random] = madeUp;
  const ended = { kind: 'ended', stage: 'mail', finding: 'policy', opening: [], transcript: [] } as const;
  const missing = { ...random, finding: 'missing', first: true } as const;
  expect(judgeComparison([{ ...alike, finding: 'policy', first: true }, missing])).toBe('knows_recipients');
  expect(judgeComparison([madeUpAnswer(alike, ended), missing])).toBe('inconclusive');
});
