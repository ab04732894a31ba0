import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { deadlineAfter } from '../../concurrency/deadline.ts';
import type { SmtpConnection, SmtpConnector } from '../connection.ts';
import type { RecipientQuestion } from './recipient-asker.ts';
import { createSessionPool } from './session-pool.ts';

const clock = { nowMs: () => Date.now() };

function poolWith(connect: SmtpConnector['connect']) {
  const identity = { heloName: 'probe.example', mailFrom: '' };
  const limits = { sessionsPerHostMax: 5, sessionsMax: 10 };
  return createSessionPool({ connector: { connect }, clock, ...identity, ...limits });
}

const question = (localPart: string, address = '192.0.2.1'): RecipientQuestion => ({
  ...{ address, localPart, domain: 'a.example' },
  ...{ serverName: undefined, provider: undefined, international: false, alone: false },
});
const inTime = (timeoutMs: number) => deadlineAfter(clock, timeoutMs, new AbortController().signal);

describe('sessions that do not open', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('are two at most, so that silent hosts leave sessions to others', async () => {
    const dialed: string[] = [];
    const pool = poolWith(async (address, { signal }) => {
      dialed.push(address);
      return new Promise(resolve => {
        signal.addEventListener('abort', () => resolve({ kind: 'failure', failure: 'timeout' }));
      });
    });
    const silent = Array.from({ length: 4 }, (_, index) =>
      pool.ask(question('ada', `192.0.2.${index}`), inTime(60_000)),
    );
    await jest.advanceTimersByTimeAsync(45_000);
    expect(dialed).toHaveLength(8);
    const other = pool.ask(question('ada', '192.0.2.9'), inTime(5_000));
    await jest.advanceTimersByTimeAsync(30_000);
    expect(dialed).toContain('192.0.2.9');
    expect(await Promise.all([...silent, other])).toEqual(
      Array.from({ length: 5 }, () => ({ kind: 'not_connected', failure: 'unreachable' })),
    );
  });
});

it('an error of ours rejects the questions that wait, and no promise that nothing waits for', async () => {
  const unhandled: unknown[] = [];
  const note = (error: unknown) => void unhandled.push(error);
  process.on('unhandledRejection', note);
  try {
    const replies = ['220 mx.a.example', '250 mx.a.example'];
    const connection = {
      localLiteral: '[192.0.2.7]',
      send: () => undefined,
      close: () => undefined,
      async listen() {
        const [code, ...lines] = replies.shift()?.split(' ') ?? [];
        if (code !== undefined) {
          return { kind: 'reply', reply: { code: Number(code), lines: [...lines, 'PIPELINING'] } };
        }
        await new Promise(resolve => setTimeout(resolve, 200));
        throw new Error('a fault');
      },
    } as unknown as SmtpConnection;
    const pool = poolWith(async () => ({ kind: 'connected', connection }));
    const [late, waiting] = await Promise.allSettled([
      pool.ask(question('ada'), inTime(50)),
      pool.ask(question('grace'), inTime(5_000)),
    ]);
    expect(late).toMatchObject({ status: 'fulfilled', value: { kind: 'ended', stage: 'rcpt' } });
    expect(waiting).toEqual({ status: 'rejected', reason: new Error('a fault') });
    await new Promise(resolve => setTimeout(resolve, 20));
    expect(unhandled).toEqual([]);
    await pool.close();
  } finally {
    process.off('unhandledRejection', note);
  }
});
