import { describe, expect, test } from '@jest/globals';
import { readReply } from '../smtp/reply.ts';
import { amply, emailOf } from '../testing/fakes.ts';
import { compareReplies, differentialReply } from './differential-reply.ts';
import { acceptedAt, inquiryAbout, portsOf } from './testing/fakes.ts';

const email = emailOf('ada@a.example');

/** The relevant part of what a host said: replies to the real recipient and to made-up ones. */
function answersOf(real: string, ...madeUp: readonly string[]) {
  return {
    kind: 'answered' as const,
    recipient: 'accepted' as const,
    reply: replyOf(real),
    madeUp: madeUp.map((text, index) => ({
      shape: 'alike' as const,
      localPart: `nobody${index}`,
      finding: text.startsWith('2') ? ('accepted' as const) : ('missing' as const),
      first: true,
      reply: replyOf(text),
    })),
    comparedMsAgo: 0,
  };
}

function replyOf(text: string) {
  return readReply(Number(text.slice(0, 3)), [text.slice(4)]);
}

describe('replies to the real recipient and to made-up ones', () => {
  test.each([
    [
      '251 the real one is known elsewhere',
      '251 2.1.5 User not local; will forward',
      '250 2.1.5 Ok',
      'code_differs',
    ],
    ['252 of made-up ones nothing is known', '250 2.1.5 Ok', '252 2.1.5 Cannot VRFY user', 'code_differs'],
    ['252 of the real one nothing is known', '252 Cannot VRFY user', '250 Ok', 'no_answer'],
    ['another enhanced code', '250 2.1.5 Ok', '250 2.1.0 Ok', 'status_differs'],
    ['another text', '250 2.1.5 Recipient ok', '250 2.1.5 Recipient ok, will queue', 'text_differs'],
    ['the same', '250 2.1.5 Ok', '250 2.1.5 Ok', 'alike'],
    ['echoed addresses', '250 2.1.5 <ada@a.example>... Ok', '250 2.1.5 <nobody0@a.example>... Ok', 'alike'],
    ['echoed local parts', '250 ada ok', '250 nobody0 ok', 'alike'],
    [
      'marks of the session',
      '250 2.1.5 OK 4fb4d7f4-5c0a - gsmtp',
      '250 2.1.5 OK 99aa1bcd-5c0a - gsmtp',
      'alike',
    ],
  ])('%s', (_name, real, madeUp, finding) => {
    expect(compareReplies(answersOf(real, madeUp), email)).toBe(finding);
  });

  test('differ only where all made-up ones differ', () => {
    expect(compareReplies(answersOf('250 Ok', '250 Fine', '250 Ok'), email)).toBe('alike');
    expect(compareReplies(answersOf('250 Ok', '252 Ok', '250 Ok'), email)).toBe('alike');
  });

  test('say nothing where a made-up one was refused', () => {
    expect(compareReplies(answersOf('250 Ok', '550 No such user'), email)).toBe('no_answer');
  });

  test('are read from every session that compared them', async () => {
    const compared = { ...acceptedAt('mx.a.example', '8.0.0.1'), result: answersOf('251 Ok', '250 Ok') };
    const gathered = await differentialReply.gather(
      portsOf({}).ports,
      inquiryAbout('ada@a.example', { attempts: [{ kind: 'no_address', host: 'mx0.a.example' }, compared] }),
      amply(),
    );
    expect(gathered.observations).toEqual([
      { source: 'differential_reply', finding: 'code_differs', host: 'mx.a.example' },
    ]);
  });
});
