import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { type Deadline, deadlineAfter } from '../../domain/concurrency/deadline.ts';
import type { DnsAnswer, DnsFailure } from '../../domain/dns/mail-dns.ts';
import { createStillClock } from '../../domain/testing/fakes.ts';
import type { CacheLimits } from './create-dns.ts';
import { createCachingLookup } from './create-dns.ts';
import type { RecordLookup } from './record-lookup.ts';

const answer: DnsAnswer<string> = { kind: 'answer', records: ['192.0.2.1'], ttlSeconds: 60 };
const timedOut = { kind: 'failure', failure: 'timeout' };

const clock = createStillClock();

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

function deadlineOf(timeoutMs: number, signal = new AbortController().signal): Deadline {
  return deadlineAfter(clock, timeoutMs, signal);
}

/** A source that answers when told to, and a cache in front of it. */
function create(limits?: CacheLimits) {
  const questions: { name: string; signal: AbortSignal; answer: (answer: DnsAnswer<never>) => void }[] = [];
  const source: RecordLookup = {
    lookUp: (name, type, { signal }) =>
      new Promise(resolve => {
        questions.push({ name: `${type} ${name}`, signal, answer: resolve });
      }),
  };
  const lookup = createCachingLookup(source, clock, limits);
  return {
    questions,
    lookup,
    /** Asks, and lets the source answer if it is asked in turn. */
    async ask(name: string, given: DnsAnswer<string> = answer) {
      const asked = questions.length;
      const result = lookup.lookUp(name, 'A', deadlineOf(5_000));
      questions[asked]?.answer(given as DnsAnswer<never>);
      return { answer: await result, fromSource: questions.length > asked };
    },
  };
}

describe('what was said', () => {
  test('is kept for its lifetime, which runs out', async () => {
    const { ask } = create();
    expect(await ask('a.example')).toEqual({ answer, fromSource: true });
    clock.advance(59_500);
    expect(await ask('A.Example.')).toEqual({ answer: { ...answer, ttlSeconds: 1 }, fromSource: false });
    clock.advance(500);
    expect(await ask('a.example')).toEqual({ answer, fromSource: true });
  });

  test.each(['nxdomain', 'nodata'] as const)('is kept where it is %s', async kind => {
    const { ask } = create();
    await ask('a.example', { kind, ttlSeconds: 30 });
    clock.advance(29_000);
    expect(await ask('a.example')).toEqual({ answer: { kind, ttlSeconds: 1 }, fromSource: false });
    clock.advance(1_000);
    expect(await ask('a.example')).toEqual({ answer, fromSource: true });
  });

  test.each<[DnsFailure, number]>([
    ['timeout', 1],
    ['malformed', 1],
    ['servfail', 5],
    ['refused', 5],
  ])('is kept for moments only where it is %s: %i s', async (failure, lifetimeSeconds) => {
    const { ask } = create();
    await ask('a.example', { kind: 'failure', failure });
    clock.advance(lifetimeSeconds * 1_000 - 1);
    expect(await ask('a.example')).toEqual({ answer: { kind: 'failure', failure }, fromSource: false });
    clock.advance(1);
    expect((await ask('a.example')).fromSource).toBe(true);
  });

  test('about one type says nothing about another', async () => {
    const { ask, lookup, questions } = create();
    await ask('a.example');
    void lookup.lookUp('a.example', 'AAAA', deadlineOf(5_000));
    expect(questions.map(({ name }) => name)).toEqual(['A a.example', 'AAAA a.example']);
  });

  test('longest ago gives way to what is new', async () => {
    const { ask } = create({ entriesMax: 2, octetsMax: 10_000 });
    await ask('a.example');
    await ask('b.example');
    await ask('a.example');
    await ask('c.example');
    expect((await ask('a.example')).fromSource).toBe(false);
    expect((await ask('b.example')).fromSource).toBe(true);
  });

  test('at length gives way as well', async () => {
    const { ask } = create({ entriesMax: 100, octetsMax: 1_000 });
    await ask('a.example');
    await ask('b.example', { kind: 'answer', records: ['x'.repeat(300)], ttlSeconds: 60 });
    expect((await ask('a.example')).fromSource).toBe(true);
    await ask('c.example', { kind: 'answer', records: ['x'.repeat(600)], ttlSeconds: 60 });
    expect((await ask('c.example')).fromSource).toBe(true);
  });
});

describe('those who ask at the same time', () => {
  test('share one question', async () => {
    const { lookup, questions } = create();
    const asked = ['a.example', 'A.example', 'a.example.'].map(name =>
      lookup.lookUp(name, 'A', deadlineOf(5_000)),
    );
    expect(questions).toHaveLength(1);
    questions[0]?.answer(answer as DnsAnswer<never>);
    expect(await Promise.all(asked)).toEqual([answer, answer, answer]);
  });

  test('keep each their own time', async () => {
    const { lookup, questions } = create();
    const hasty = lookup.lookUp('a.example', 'A', deadlineOf(100));
    const patient = lookup.lookUp('a.example', 'A', deadlineOf(5_000));
    await jest.advanceTimersByTimeAsync(100);
    expect(await hasty).toEqual(timedOut);
    expect(questions[0]?.signal.aborted).toBe(false);
    questions[0]?.answer(answer as DnsAnswer<never>);
    expect(await patient).toEqual(answer);
  });

  test('do not miss the answer because one of them goes away', async () => {
    const { lookup, questions } = create();
    const leaver = new AbortController();
    const left = lookup.lookUp('a.example', 'A', deadlineOf(5_000, leaver.signal));
    const stayed = lookup.lookUp('a.example', 'A', deadlineOf(5_000));
    leaver.abort();
    expect(await left).toEqual(timedOut);
    questions[0]?.answer(answer as DnsAnswer<never>);
    expect(await stayed).toEqual(answer);
  });

  test('end the question when all of them go away, and what comes of it is not kept', async () => {
    const { lookup, questions, ask } = create();
    const leaver = new AbortController();
    const left = lookup.lookUp('a.example', 'A', deadlineOf(5_000, leaver.signal));
    leaver.abort();
    await left;
    expect(questions[0]?.signal.aborted).toBe(true);
    const next = ask('a.example');
    questions[0]?.answer({ kind: 'failure', failure: 'timeout' });
    expect(await next).toEqual({ answer, fromSource: true });
    expect(await ask('a.example')).toEqual({ answer, fromSource: false });
  });

  test('leave nothing behind that would run on', async () => {
    const { ask } = create();
    await ask('a.example');
    expect(jest.getTimerCount()).toBe(0);
  });
});

test('a caller whose time is up gets only cached answers', async () => {
  const { ask, lookup, questions } = create();
  expect(await lookup.lookUp('a.example', 'A', deadlineOf(0))).toEqual(timedOut);
  expect(questions).toHaveLength(0);
  await ask('a.example');
  expect(await lookup.lookUp('a.example', 'A', deadlineOf(0))).toEqual(answer);
});
