import { once } from 'node:events';
import { afterEach, expect, test } from '@jest/globals';
import { deadlineAfter } from '../src/domain/concurrency/deadline.ts';
import { createComparisons } from '../src/domain/smtp/comparison.ts';
import { createLocalComparisonMemory } from '../src/domain/smtp/local-comparison-memory.ts';
import { makeUpRecipients } from '../src/domain/smtp/made-up-recipients.ts';
import { probeRecipient } from '../src/domain/smtp/probe-recipient.ts';
import { emailOf } from '../src/domain/testing/fakes.ts';
import { decideByProbe } from '../src/domain/verdict/decide.ts';
import { clock, closeAll, orderly, poolAt, serve } from './unruly-host.ts';

afterEach(closeAll);

/**
 * A host that knows its recipients until it starts to accept every one; the memory of its comparisons lasts for hours.
 */
async function failingHost() {
  let isOpen = false;
  const asked: string[] = [];
  const host = await serve(line => {
    const localPart = /^RCPT TO:<(.*)@/.exec(line)?.[1];
    if (localPart !== undefined) {
      asked.push(localPart);
    }
    return isOpen && localPart !== undefined ? '250 2.1.5 Ok' : orderly(line);
  });
  const asker = poolAt(host);
  const ports = {
    asker,
    memory: createLocalComparisonMemory(clock),
    clock,
    nowMs: Date.now,
    onStoreFailed: (error: unknown) => {
      throw error;
    },
  };
  const comparisons = createComparisons(ports, { conclusiveMs: 3_600_000, inconclusiveMs: 0 });
  async function resultOf(name: string): Promise<string> {
    const plan = {
      email: emailOf(`${name}@d.example`),
      madeUp: makeUpRecipients(() => () => 0.5, name),
      host: 'mx.d.example',
      address: '127.0.0.1',
      provider: undefined,
      oneRecipientPerTransaction: false,
    };
    const deadline = deadlineAfter(clock, 60_000, new AbortController().signal);
    const probe = await probeRecipient({ asker, comparisons, clock }, plan, deadline);
    return probe.kind === 'probed' ? decideByProbe(probe.result).result : probe.failure;
  }
  const open = () => {
    isOpen = true;
  };
  return { ...host, asked, resultOf, open };
}

test.each([
  ['in the same session', 1],
  ['between two sessions', 2],
])('a host that starts to accept every recipient %s makes no missing address ok', async (_, sessions) => {
  const host = await failingHost();
  expect(await host.resultOf('here1')).toBe('ok');
  if (sessions === 2) {
    host.visits[0]?.socket.end();
    await Promise.all(host.visits.map(({ socket }) => socket.closed || once(socket, 'close')));
  }
  host.open();
  expect(await host.resultOf('nobody1')).toBe('catch_all');
  expect(host.visits).toHaveLength(sessions);
});

test('many acceptances at an honest host share made-up recipients', async () => {
  const host = await failingHost();
  await host.resultOf('here1');
  host.asked.splice(0);
  const names = Array.from({ length: 30 }, (_, index) => `here${index + 10}`);
  const results = await Promise.all(names.map(name => host.resultOf(name)));
  expect(new Set(results)).toEqual(new Set(['ok']));
  // One for each round, of four acceptances at least; some of the first rounds are asked again.
  const madeUp = host.asked.filter(name => !names.includes(name));
  expect(madeUp.length).toBeGreaterThan(0);
  expect(madeUp.length).toBeLessThanOrEqual(names.length / 2);
});
