import { describe, expect, it } from '@jest/globals';
import { deadlineAfter } from '../../concurrency/deadline.ts';
import { createStillClock, shuffledList } from '../../testing/fakes.ts';
import { createIdleSessions, createQueue, type IdleHost, takeFlight } from './host-queue.ts';
import { idleMsMax, idleMsMin, idleOpenings, idleSessionsMax, returningSessionsMax } from './limits.ts';
import { createPending, type RecipientQuestion } from './recipient-asker.ts';

function host(isReturning = false, openingTookMs = 0): IdleHost {
  return { idle: [], idleSinceMs: undefined, isReturning, openingTookMs };
}

describe('idle sessions', () => {
  it.each([
    ['hosts that were asked once', false, idleSessionsMax],
    ['hosts that are asked again and again', true, returningSessionsMax],
  ])(
    'of %s end in the order in which they began to wait, beyond their bound',
    async (_, isReturning, max) => {
      const sessions = createIdleSessions(createStillClock(), () => true);
      const hosts = Array.from({ length: max + 2 }, () => host(isReturning));
      const waits = hosts.map(each => sessions.wait(each));
      expect(await Promise.all(waits.slice(0, 2))).toEqual([false, false]);
      expect(hosts.map(({ idle }) => idle.length)).toEqual([0, 0, ...hosts.slice(2).map(() => 1)]);
      for (const { idle } of hosts) {
        idle[0]?.(true);
      }
      expect(await Promise.all(waits.slice(2))).toEqual(hosts.slice(2).map(() => true));
    },
  );

  it('that have been given work are no longer there to be ended', async () => {
    const sessions = createIdleSessions(createStillClock(), () => true);
    const [busy, idle] = [host(), host()];
    const waits = [sessions.wait(busy), sessions.wait(idle)];
    busy.idle[0]?.(true);
    sessions.endOne();
    sessions.endOne();
    expect(await Promise.all(waits)).toEqual([true, false]);
  });

  it('end by two for each that comes where memory is short, first those of hosts that were asked once', async () => {
    let hasRoom = true;
    const sessions = createIdleSessions(createStillClock(), () => hasRoom);
    const once = Array.from({ length: 5 }, () => host());
    const again = Array.from({ length: idleSessionsMax + 5 }, () => host(true));
    for (const each of [...once, ...again]) {
      void sessions.wait(each);
    }
    const idleAt = (hosts: readonly IdleHost[]) => hosts.map(({ idle }) => idle.length);
    expect([...idleAt(once), ...idleAt(again)]).not.toContain(0);
    hasRoom = false;
    const late = host(true);
    void sessions.wait(late);
    expect(idleAt(once)).toEqual([0, 0, 1, 1, 1]);
    expect(idleAt(again)).not.toContain(0);
    for (let coming = 0; coming < 20; coming += 1) {
      void sessions.wait(late);
    }
    expect(idleAt(once)).toEqual([0, 0, 0, 0, 0]);
    expect(idleAt([...again, late]).reduce((sum, idle) => sum + idle, 0)).toBe(idleSessionsMax);
  });

  it('make room at hosts that were asked once before they do at others', async () => {
    const sessions = createIdleSessions(createStillClock(), () => true);
    const [returning, newcomer] = [host(true), host()];
    const waits = [sessions.wait(returning), sessions.wait(newcomer)];
    sessions.endOne();
    expect([returning.idle.length, newcomer.idle.length]).toEqual([1, 0]);
    sessions.endOne();
    expect(await Promise.all(waits)).toEqual([false, false]);
  });

  it('make room first at hosts that have another one', async () => {
    const sessions = createIdleSessions(createStillClock(), () => true);
    const [only, several] = [host(true), host(true)];
    void sessions.wait(only);
    void sessions.wait(several);
    void sessions.wait(several);
    sessions.endOne();
    expect([only.idle.length, several.idle.length]).toEqual([1, 1]);
    sessions.endOne();
    expect([only.idle.length, several.idle.length]).toEqual([0, 1]);
  });

  it('count a host as returning when a question comes in the idle time, also after its session had to leave', async () => {
    const clock = createStillClock();
    const sessions = createIdleSessions(clock, () => true);
    const [early, late, never] = [host(), host(), host()];
    const waits = [sessions.wait(early), sessions.wait(late)];
    sessions.endOne();
    sessions.endOne();
    expect(await Promise.all(waits)).toEqual([false, false]);
    clock.advance(idleMsMin - 1);
    sessions.noteQuestion(early);
    sessions.noteQuestion(never);
    clock.advance(1);
    sessions.noteQuestion(late);
    expect([early, late, never].map(({ isReturning }) => isReturning)).toEqual([true, false, false]);
  });

  it.each([
    ['at a host that is near, for the shortest time', 20, idleMsMin],
    ['at a host that is far away, for the time that some openings take', 1_200, idleOpenings * 1_200],
    ['at a host that greets late on purpose, for the longest time', 6_000, idleMsMax],
  ])('wait for questions %s', (_, openingTookMs, waitsMs) => {
    const clock = createStillClock();
    const sessions = createIdleSessions(clock, () => true);
    const [early, late] = [host(false, openingTookMs), host(false, openingTookMs)];
    void sessions.wait(early);
    void sessions.wait(late);
    clock.advance(waitsMs - 1);
    sessions.noteQuestion(early);
    clock.advance(1);
    sessions.noteQuestion(late);
    expect([early, late].map(({ isReturning }) => isReturning)).toEqual([true, false]);
  });
});

describe('a flight', () => {
  const session = { asked: () => 0, pipelining: true, replyMs: () => 1 };

  type Asked = Pick<RecipientQuestion, 'localPart' | 'cover' | 'repeated' | 'together'> & { isOfList?: true };

  /** The recipients of the next flights, if there is room for so many in each. */
  function flightsOf(questions: readonly Asked[], room: number): string[] {
    const clock = createStillClock();
    const queue = createQueue('192.0.2.1', 0);
    for (const { isOfList, ...asked } of questions) {
      const deadline = deadlineAfter(clock, 0, AbortSignal.abort(), isOfList ? shuffledList : undefined);
      const question = {
        address: '192.0.2.1',
        serverName: undefined,
        provider: undefined,
        domain: 'a.example',
        international: false,
        alone: true,
        ...asked,
      };
      const outOfTime = () => ({ kind: 'not_connected', failure: 'unreachable' }) as const;
      queue.waiting.add(createPending(question, deadline, 0, () => undefined, outOfTime));
    }
    const flights: string[] = [];
    while (queue.waiting.size > 0) {
      const taken = takeFlight(queue, session, room).flat();
      flights.push(taken.map(({ question }) => question.localPart).join(''));
    }
    return flights;
  }

  it('takes single validations before the addresses of lists', () => {
    const listed = Array.from('abcd', localPart => ({ localPart, isOfList: true as const }));
    expect(flightsOf([...listed, { localPart: 'x' }, { localPart: 'y' }], 3)).toEqual(['xya', 'bcd']);
  });

  it.each([
    ['takes as many recipients as there is room for', 'abcdefg', 3, ['abc', 'def', 'g']],
    [
      'leaves questions about one recipient to the next if not all have room',
      'abccdef',
      3,
      ['abd', 'cce', 'f'],
    ],
    [
      'takes questions about one recipient that come first even if it has no room for all',
      'aaaab',
      3,
      ['aaa', 'ab'],
    ],
    ['takes questions about one recipient that are apart as they come', 'abacad', 3, ['aba', 'cad']],
  ])('%s', (_, recipients, room, flights) => {
    expect(
      flightsOf(
        [...recipients].map(localPart => ({ localPart })),
        room,
      ),
    ).toEqual(flights);
  });

  it('takes the repeated questions of one round with their cover, beyond its room', () => {
    const round = (together: string, cover: string, repeated: string): Asked[] => [
      { localPart: cover, cover: true, together },
      ...[...repeated].map(localPart => ({ localPart, repeated: true, together })),
    ];
    const questions = [...round('first', 'x', 'aabb'), { localPart: 'c' }, ...round('second', 'y', 'dd')];
    expect(flightsOf(questions, 10)).toEqual(['xcaabb', 'ydd']);
    expect(flightsOf(questions, 2)).toEqual(['xcaabb', 'ydd']);
  });
});
