import { describe, expect, test } from '@jest/globals';
import { type Clock, deadlineAfter } from '../concurrency/deadline.ts';
import { amply, createScriptedConnection, createStillClock } from '../testing/fakes.ts';
import type { SmtpConnection, SmtpOutcome } from './connection.ts';
import { holdConversation } from './conversation.ts';
import { createSession, type SessionLimits } from './session.ts';
import type { Recipient } from './transaction.ts';

const ada: Recipient = { localPart: 'ada', domain: 'a.example', international: false, provider: undefined };

/** A session with a host that takes this long over each reply. */
function sessionWith(replyMs: number, refusal = false, limits: Partial<SessionLimits> = {}) {
  const clock = createStillClock();
  const answer = refusal ? '550 5.1.1 User unknown' : '250 2.1.5 Ok';
  const scripted = createScriptedConnection(
    Array.from({ length: 4 }, () => [
      [/^MAIL/, '250 2.1.0 Ok'] as const,
      [/^RCPT/, answer] as const,
      [/^RSET/, '250 2.0.0 Ok'] as const,
    ]).flat(),
    { greeted: true },
  );
  const slow: SmtpConnection = {
    ...scripted,
    async listen(deadline) {
      clock.advance(replyMs);
      return scripted.listen(deadline);
    },
  };
  return open(slow, clock, { replyMs, ...limits });
}

function open(connection: SmtpConnection, clock: Clock, changed: Partial<SessionLimits>) {
  const limits = {
    refusalsMax: 3,
    recipientsMax: 100,
    flightMax: 10,
    firstFlightMax: 10,
    usePipelining: true,
    replyMs: 0,
    ...changed,
  };
  const opening = { extensions: new Set(['PIPELINING']), transcript: [] };
  return createSession(holdConversation(connection, clock), clock, opening, '', limits);
}

describe('a session', () => {
  test.each([
    ['quick', 0, 3],
    ['with 200 ms of latency', 200, 3],
    ['slow', 1_500, 2],
    ['a tarpit', 20_000, 1],
  ])(
    'asks a host that is %s as much at a time as it answers in a few seconds',
    async (_name, replyMs, room) => {
      const session = sessionWith(replyMs);
      expect(session.room()).toBe(room);
      await session.ask([[ada]], amply());
      expect(session.room()).toBe(room);
    },
  );

  test('asks a stranger about few at first, and then about as many as it answers in time', async () => {
    const limits = { refusalsMax: 9, firstFlightMax: 3 };
    const [quick, slow] = [sessionWith(0, true, limits), sessionWith(5_000, true, { ...limits, replyMs: 0 })];
    for (const [session, room] of [
      [quick, 8],
      [slow, 1],
    ] as const) {
      expect(session.room()).toBe(3);
      await session.ask([[ada]], amply());
      expect(session.room()).toBe(room);
    }
  });

  test('takes a host that was slow for quick by degrees', async () => {
    const session = sessionWith(0, false, { refusalsMax: 9, replyMs: 4_000 });
    const rooms = [];
    for (let flight = 0; flight < 3; flight += 1) {
      rooms.push(session.room());
      await session.ask([[ada]], amply());
    }
    expect([...rooms, session.replyMs()]).toEqual([1, 1, 3, 500]);
  });

  test('has room for as many refusals as the host bears, and no more', async () => {
    const session = sessionWith(0, true);
    for (const left of [2, 1, 0]) {
      await session.ask([[ada]], amply());
      expect(session.room()).toBe(left);
    }
  });
});

/** Asks a host that answers only MAIL; returns what was heard and how long that took. */
async function askSilentHost(replyMs: number, timeoutMs: number, usePipelining = true) {
  const clock = createStillClock();
  const scripted = createScriptedConnection([[/^MAIL/, '250 2.1.0 Ok']], { greeted: true });
  let answers = 1;
  const silent: SmtpConnection = {
    ...scripted,
    async listen(deadline) {
      if (answers > 0) {
        answers -= 1;
        return scripted.listen(deadline);
      }
      clock.advance(deadline.remainingMs());
      return { kind: 'failure', failure: 'timeout' };
    },
  };
  const session = open(silent, clock, { replyMs, usePipelining });
  const sinceMs = clock.nowMs();
  const [[heard] = []] = await session.ask([[ada]], deadlineAfter(clock, timeoutMs, amply().signal));
  return { heard, tookMs: clock.nowMs() - sinceMs, session };
}

describe('a host that is silent over lines that were sent together', () => {
  test.each([
    ['six seconds', 5, 25_000, 6_000],
    ['longer where it was slow before', 1_000, 25_000, 8_000],
    ['half of the time that is left', 5_000, 25_000, 12_500],
    ['half of a short time', 5, 8_000, 4_000],
  ])('is waited for %s, and loses nothing but that time', async (_name, replyMs, timeoutMs, waitedMs) => {
    const { heard, tookMs, session } = await askSilentHost(replyMs, timeoutMs);
    expect(tookMs).toBe(waitedMs);
    expect(heard).toMatchObject({ kind: 'ended', stage: 'rset', finding: 'timeout' });
    expect(session.room()).toBe(0);
    // The silence says nothing about its pace.
    expect(session.replyMs()).toBe(replyMs);
  });

  test('is waited for as long as there is time where it was asked one thing at a time', async () => {
    const { heard, tookMs } = await askSilentHost(5, 25_000, false);
    expect(tookMs).toBe(25_000);
    expect(heard).toMatchObject({ kind: 'answered', finding: 'timeout' });
  });

  test('is no host that takes five seconds over each answer', async () => {
    const [[heard] = []] = await sessionWith(5_000, true).ask([[ada]], amply());
    expect(heard).toMatchObject({ kind: 'answered', finding: 'missing' });
  });
});

describe('a flight of acceptances and refusals', () => {
  const madeUp: Recipient = { ...ada, localPart: 'made.up' };

  /** Returns whether the second flight is answered before any timer. */
  async function isAnsweredAtOnce(reset: string): Promise<boolean> {
    const frames = [['250 2.1.5 Ok'], ['550 5.1.1 Unknown', '250 2.1.5 Ok']].flatMap(answers => [
      [/^MAIL/, '250 2.1.0 Ok'] as const,
      ...answers.map(answer => [/^RCPT/, answer] as const),
      [/^RSET/, reset] as const,
    ]);
    const connection = createScriptedConnection(frames, { greeted: true });
    const session = open(connection, createStillClock(), { refusalsMax: 9 });
    await session.ask([[ada]], amply());
    const answered = session.ask([[madeUp, ada]], amply()).then(() => true);
    const isAtOnce = await Promise.race([
      answered,
      new Promise<false>(resolve => setImmediate(resolve, false)),
    ]);
    await answered;
    return isAtOnce;
  }

  test('is believed at once where the host words MAIL, RCPT and RSET each in its own way', async () => {
    expect(await isAnsweredAtOnce('250 2.0.0 Ok')).toBe(true);
  });

  test('is believed after a moment where an answer too many could pass for that to RSET', async () => {
    expect(await isAnsweredAtOnce('250 2.1.5 Ok')).toBe(false);
  });
});

describe('a flight after which the host', () => {
  const bob: Recipient = { ...ada, localPart: 'bob' };

  /** Asks about both, the first of whom exists; `left` is what the connection holds when all have an answer. */
  async function heardWith(left: SmtpOutcome | undefined, answerToBob: string, resetMs = 0) {
    const clock = createStillClock();
    const script = [
      [/^MAIL/, '250 2.1.0 Ok'],
      [/ada/, '250 2.1.5 Ok'],
      [/bob/, answerToBob],
      [/^RSET/, '250 2.0.0 Ok'],
    ] as const;
    const scripted = createScriptedConnection(script, { greeted: true });
    const connection: SmtpConnection = {
      ...scripted,
      send: commands => (commands.length > 0 ? scripted.send(commands) : left),
      async listen(deadline) {
        clock.advance(scripted.unused() === 1 ? resetMs : 0);
        return scripted.listen(deadline);
      },
    };
    const sinceMs = performance.now();
    const [heard = []] = await open(connection, clock, {}).ask([[ada, bob]], amply());
    return { kinds: heard.map(({ kind }) => kind), tookMs: performance.now() - sinceMs };
  }

  test('has said more than it was asked is not believed, even if all answers are alike', async () => {
    const { kinds } = await heardWith({ kind: 'failure', failure: 'garbled' }, '250 2.1.5 Ok');
    expect(kinds).toEqual(['ended', 'ended']);
  });

  test('has hung up is believed: an answer too many would have come first', async () => {
    const { kinds } = await heardWith({ kind: 'failure', failure: 'closed' }, '550 5.1.1 Unknown');
    expect(kinds).toEqual(['answered', 'answered']);
  });

  test('may say more is watched for as long as its slowest answer took', async () => {
    const { kinds, tookMs } = await heardWith(undefined, '550 5.1.1 Unknown', 300);
    expect(kinds).toEqual(['answered', 'answered']);
    expect(tookMs).toBeGreaterThanOrEqual(340);
  });

  test('words its answer to RSET like one to a recipient is watched longer, because that may be late', async () => {
    const { tookMs } = await heardWith(undefined, '250 2.0.0 Ok');
    expect(tookMs).toBeGreaterThanOrEqual(490);
  });
});
