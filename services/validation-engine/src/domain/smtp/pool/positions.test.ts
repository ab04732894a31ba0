import { describe, expect, test } from '@jest/globals';
import { deadlineAfter } from '../../concurrency/deadline.ts';
import { amply, createStillClock } from '../../testing/fakes.ts';
import type { Finding } from '../conversation.ts';
import { readReply } from '../reply.ts';
import type { Heard } from '../transaction.ts';
import {
  type Circumstances,
  type Depth,
  learn,
  learnFromTurns,
  noDepth,
  noLessons,
  type Position,
} from './lessons.ts';
import {
  beginCourse,
  isContradiction,
  judgeHeard,
  keepWitness,
  lastingWitnessFor,
  noteAcceptance,
} from './positions.ts';
import { createPending } from './recipient-asker.ts';

const calm: Circumstances = {
  firstTransaction: false,
  firstOfTransaction: 'accepted',
  refusals: 0,
  forthcoming: true,
  positions: new Set(),
  depth: noDepth,
  lasting: 'silent',
};
const question = {
  address: '192.0.2.1',
  serverName: undefined,
  localPart: 'ada',
  domain: 'a.example',
  international: false,
  provider: undefined,
  alone: false,
};
const asked = { fresh: false, tries: 1, doubted: undefined, deadline: amply(), question };

function answered(finding: Finding, first: boolean, code = 550): Heard {
  return {
    kind: 'answered',
    finding,
    first,
    reply: readReply(code, ['text']),
    transcript: [],
  };
}

const silence: Heard = {
  kind: 'answered',
  finding: 'closed',
  first: true,
  transcript: [],
};
const refusedAtMail: Heard = { kind: 'ended', stage: 'mail', finding: 'temporary', transcript: [] };

describe('an answer in company', () => {
  test.each<readonly [string, Heard, Partial<Circumstances>, string]>([
    ['a clear one is believed', answered('missing', false), {}, 'final'],
    ['so is a greylist', answered('greylisted', false, 450), {}, 'final'],
    ['a refusal without a ground may be a limit', answered('refused', false), {}, 'again_alone'],
    [
      'not where the first got the same',
      answered('refused', false),
      { firstOfTransaction: 'refused' },
      'final',
    ],
    ['nor where it was the first', answered('refused', true), {}, 'final'],
    ['too many recipients is a limit', answered('too_many_recipients', false, 452), {}, 'again_alone'],
    [
      'and of the session for one that was asked alone',
      answered('too_many_recipients', true, 452),
      {},
      'again_fresh',
    ],
    ['a block by a host that knew others is anger', answered('blocked', true), {}, 'again_fresh'],
    ['a block from the beginning is one', answered('blocked', true), { forthcoming: false }, 'final'],
    [
      'so may be a refusal without a ground after many',
      answered('refused', true),
      { refusals: 5 },
      'again_fresh',
    ],
    ['so may be a policy', answered('policy', true), {}, 'again_fresh'],
    ['not where it meets the first recipient', answered('policy', true), { firstTransaction: true }, 'final'],
    ['421 speaks of the session', answered('temporary', true, 421), {}, 'again_fresh'],
    [
      'unless it was the only recipient',
      answered('temporary', true, 421),
      { firstTransaction: true },
      'final',
    ],
    ['so does silence', silence, {}, 'again_fresh'],
    ['and silence to the first is silence', silence, { firstTransaction: true }, 'final'],
    ['MAIL refused late is a limit on transactions', refusedAtMail, {}, 'again'],
    ['MAIL refused at once is an answer', refusedAtMail, { firstTransaction: true }, 'final'],
    ['who was not reached is asked again', { kind: 'unreached' }, {}, 'again'],
    ['a host out of step is believed in nothing', { ...refusedAtMail, stage: 'rset' }, {}, 'again'],
  ])('%s', (_name, heard, circumstances, judgment) => {
    expect(judgeHeard(heard, asked, { ...calm, ...circumstances }, noLessons())).toBe(judgment);
  });

  test('is believed in the end, whether it accepts or refuses', () => {
    for (const heard of [answered('refused', false), answered('blocked', true), silence, refusedAtMail]) {
      expect(judgeHeard(heard, { ...asked, tries: 3 }, calm, noLessons())).toBe('final');
    }
  });
});

describe('a refusal in a later position of the session', () => {
  const later: Partial<Circumstances> = { positions: new Set(['same_transaction', 'later_transaction']) };
  const judge = (finding: Finding, circumstances: Partial<Circumstances>, lessons = noLessons()) =>
    judgeHeard(answered(finding, true), asked, { ...calm, ...later, ...circumstances }, lessons);

  test.each(['missing', 'disabled', 'refused'] as const)('waits for a witness: %s', finding => {
    expect(judge(finding, {})).toBe('held');
    expect(judge(finding, { positions: new Set() })).toBe('final');
  });

  test('is believed of a host that has accepted a recipient in such positions', () => {
    const lessons = noLessons();
    lessons.acceptsAt.add('same_transaction');
    expect(judge('missing', {}, lessons)).toBe('held');
    lessons.acceptsAt.add('later_transaction');
    expect(judge('missing', {}, lessons)).toBe('final');
    expect(judge('missing', { positions: new Set(['other_domain']) }, lessons)).toBe('held');
  });

  test.each(Object.keys(noDepth) as (keyof Depth)[])(
    'is believed no later in a session than the host has accepted a recipient: %s',
    count => {
      const lessons = noLessons();
      const at = (much: Partial<Depth>) => ({
        positions: new Set<Position>(),
        depth: { ...noDepth, ...much },
      });
      expect(judge('missing', at({ [count]: 4 }), lessons)).toBe('held');
      noteAcceptance(new Set(), { ...noDepth, [count]: 4 }, lessons);
      // Each count is the greatest so far, regardless of the others.
      noteAcceptance(new Set(), noDepth, lessons);
      expect(judge('missing', at({ [count]: 4 }), lessons)).toBe('final');
      expect(judge('missing', at({ [count]: 5 }), lessons)).toBe('held');
      // Nothing else makes an address invalid.
      expect(judge('refused', at({ [count]: 5 }), lessons)).toBe('final');
    },
  );

  test('is not believed of a host that has contradicted itself, however much it has accepted', () => {
    const lessons = { ...noLessons(), firstOnly: true };
    noteAcceptance(new Set(['same_transaction', 'later_transaction']), noDepth, lessons);
    expect(judge('missing', {}, lessons)).toBe('held');
    expect(judge('missing', { positions: new Set() }, lessons)).toBe('final');
  });

  test('is believed of a host without any witness once fresh sessions have repeated two', () => {
    const lessons = noLessons();
    const doubted = { ...asked, fresh: true, doubted: 'missing' } as const;
    for (const judgment of ['held', 'held', 'final']) {
      expect(judge('missing', {}, lessons)).toBe(judgment);
      learn(lessons, answered('missing', true), doubted, { ...calm, firstTransaction: true });
    }
    keepWitness(question, noDepth, beginCourse(), lessons);
    expect(judge('missing', {}, lessons)).toBe('held');
  });

  test('that a fresh session contradicts leaves the host believed of first recipients alone', () => {
    const lessons = noLessons();
    lessons.refusalsMeant = 2;
    const doubted = { ...asked, fresh: true, doubted: 'missing' } as const;
    learn(lessons, answered('accepted', true, 250), doubted, { ...calm, firstTransaction: true });
    expect(lessons.firstOnly).toBe(true);
    expect(judge('missing', {}, lessons)).toBe('held');
  });
});

const unasked = { kind: 'not_connected', failure: 'timeout' } as const;

describe('a held refusal', () => {
  const depth = { ...noDepth, recipients: 3, refusals: 2 };
  const heard = answered('missing', true) as Extract<Heard, { kind: 'answered' }>;
  const pending = createPending(
    question,
    amply(),
    0,
    () => undefined,
    () => unasked,
  );
  pending.settle(unasked);
  const held = { pending, heard, positions: new Set<Position>(), flights: 0 };
  const lessons = { ...noLessons(), firstOnly: true };

  test.each([
    ['contradicts a later acceptance of the same recipient', {}, { recipients: 4, refusals: 3 }, true],
    ['does not where that came earlier', {}, { recipients: 2, refusals: 2 }, false],
    ['does not where fewer refusals came before', {}, { recipients: 4, refusals: 1 }, false],
    [
      'does not where another recipient was accepted',
      { localPart: 'other' },
      { recipients: 4, refusals: 3 },
      false,
    ],
    [
      'does not where that was at another domain',
      { domain: 'o.example' },
      { recipients: 4, refusals: 3 },
      false,
    ],
  ])('%s', (_, other, acceptedAt, isContradicted) => {
    const course = beginCourse();
    keepWitness({ ...question, ...other }, { ...noDepth, ...acceptedAt }, course, lessons);
    expect(isContradiction({ ...held, depth, askedAt: depth }, course, lessons)).toBe(isContradicted);
    // The finding of a cover, or one that says nothing about the mailbox, contradicts nothing.
    expect(isContradiction({ ...held, depth: undefined, askedAt: depth }, course, lessons)).toBe(false);
  });
});

describe('a witness at the end of a flight', () => {
  const session = { asked: () => 0, pipelining: true, replyMs: () => 1 };
  const named = (localPart: string) => {
    const pending = createPending(
      { ...question, localPart },
      amply(),
      0,
      () => undefined,
      () => unasked,
    );
    pending.settle(unasked);
    return pending;
  };
  const transaction = ['bob', 'cy', 'di'].map(named);

  test.each([
    ['shares the last transaction where the host has accepted as late in one', 3, true],
    ['has its own where it would come later', 2, false],
  ])('%s', (_, known, sharesLast) => {
    const lessons = noLessons();
    keepWitness(question, noDepth, beginCourse(), lessons);
    const depth = {
      ...noDepth,
      inTransaction: known,
      acceptancesInTransaction: known,
      refusalsInTransaction: known,
    };
    noteAcceptance(new Set(), depth, lessons);
    expect(lastingWitnessFor([transaction], session, lessons)).toEqual({ questions: [question], sharesLast });
    // A host that takes one transaction of a flight gets it there all the same.
    const limited = { ...lessons, transactionsMax: 1 };
    expect(lastingWitnessFor([transaction], session, limited)?.sharesLast).toBe(true);
  });
});

describe('what a host teaches', () => {
  test('refusals that are meant are not doubted again', () => {
    const lessons = noLessons();
    learn(lessons, answered('refused', true), { ...asked, doubted: 'refused' }, calm);
    expect(judgeHeard(answered('refused', false), asked, calm, lessons)).toBe('final');
  });

  test('a limit on recipients is kept to', () => {
    const lessons = noLessons();
    learn(lessons, answered('accepted', true, 250), { ...asked, doubted: 'refused' }, calm);
    expect(lessons.recipientsMax).toBe(1);
  });

  test('a block of a fresh session is one', () => {
    const lessons = noLessons();
    learn(lessons, answered('blocked', true), { ...asked, fresh: true }, { ...calm, firstTransaction: true });
    expect(judgeHeard(answered('blocked', true), asked, calm, lessons)).toBe('final');
  });

  test('so is a refusal without a ground that comes first', () => {
    const lessons = noLessons();
    learn(lessons, answered('refused', true), { ...asked, fresh: true }, { ...calm, firstTransaction: true });
    expect(judgeHeard(answered('refused', true), asked, { ...calm, refusals: 5 }, lessons)).toBe('final');
  });

  test('a session ends earlier after refusals ended others, but at most halved each time', () => {
    const lessons = noLessons();
    const allowed = [4, 4, 4].map(refusals => {
      learn(lessons, answered('temporary', false, 421), asked, { ...calm, refusals });
      return lessons.refusalsMax;
    });
    expect(allowed).toEqual([5, 3, 3]);
  });

  test('hosts that mix answers up are asked one thing at a time', () => {
    const lessons = noLessons();
    learn(lessons, { ...refusedAtMail, stage: 'rset' }, asked, calm);
    expect(lessons.usePipelining).toBe(false);
  });

  test('hosts that take few transactions are sent one at a time', () => {
    const lessons = noLessons();
    learn(lessons, refusedAtMail, asked, calm);
    expect(lessons.transactionsMax).toBe(1);
  });

  test('what we cut short ourselves teaches nothing', () => {
    const deadline = deadlineAfter(createStillClock(), 60_000, AbortSignal.abort());
    const lessons = noLessons();
    for (const heard of [silence, refusedAtMail, { ...refusedAtMail, stage: 'rset' } as const]) {
      learn(lessons, heard, { ...asked, deadline }, { ...calm, refusals: 4 });
    }
    expect(lessons).toEqual(noLessons());
  });
});

describe('a refusal before a witness that may be refused because it came late', () => {
  const doubtful = { ...calm, lasting: 'doubtful' } as const;

  test('is asked about again in a fresh session', () => {
    expect(judgeHeard(answered('missing', true), asked, doubtful, noLessons())).toBe('again_fresh');
  });

  test.each([
    ['it was asked about in a fresh session', { ...asked, fresh: true }],
    ['it is a cover', { ...asked, question: { ...question, cover: true } }],
    ['it was asked about often', { ...asked, tries: 3 }],
  ])('is not if %s', (_name, pending) => {
    expect(judgeHeard(answered('missing', true), pending, doubtful, noLessons())).not.toBe('again_fresh');
  });
});

describe('PIPELINING that seems to lose answers', () => {
  const lost: Heard = { kind: 'ended', stage: 'rset', finding: 'timeout', transcript: [] };

  test.each<readonly [string, number, Heard, boolean]>([
    ['is given up where the host then answers one thing at a time', 20, answered('missing', true), false],
    ['or is slow, but quicker than the silence was long', 1_900, answered('missing', true), false],
    ['is used again if the host is slow without it too', 2_000, answered('missing', true), true],
    ['or hangs up without it too', 20, silence, true],
  ])('%s', (_name, replyMs, then, usePipelining) => {
    const lessons = noLessons();
    learn(lessons, lost, asked, { ...calm, firstTransaction: true });
    expect(lessons.usePipelining).toBe(false);
    learnFromTurns(lessons, { pipelining: false, replyMs: () => replyMs }, then);
    expect(lessons.usePipelining).toBe(usePipelining);
    // What one session has shown remains valid.
    learnFromTurns(lessons, { pipelining: false, replyMs: () => 20_000 }, then);
    expect(lessons.usePipelining).toBe(usePipelining);
  });

  test('is given up permanently if answers were mixed up', () => {
    const lessons = noLessons();
    learn(lessons, { ...lost, finding: 'unexpected' }, asked, calm);
    learnFromTurns(lessons, { pipelining: false, replyMs: () => 20_000 }, answered('missing', true));
    expect(lessons.usePipelining).toBe(false);
  });
});
