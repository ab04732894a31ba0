import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type DomainScript, type MailLab, postfix, type SmtpScript, startMailLab } from '@mailproof/mail-lab';
import { labSettings, startEngine, type TestEngine } from './engine-in-lab.ts';

/** Each host is probed three times, each time as a new host: its earlier replies cannot help. */
const repeats = 3;

interface Tarpit {
  readonly name: string;
  readonly what: string;
  readonly script: Partial<SmtpScript>;
  readonly deadlineMs: number;
  readonly answer: string;
}

const inTheClear = ['PIPELINING', 'SIZE 10240000', '8BITMIME'];

/**
 * The mailbox takes four replies: EHLO, MAIL, RCPT and RSET. The made-up recipients take four more, and another four
 * pass until a witness has confirmed them.
 */
const tarpits: readonly Tarpit[] = [
  {
    name: 'patient',
    what: 'has said all',
    script: { replyDelayMs: 900, capabilities: inTheClear },
    deadlineMs: 15_000,
    answer: 'ok mailbox_exists',
  },
  {
    name: 'late-greeting',
    what: 'greets at the moment at which another session is tried',
    script: { bannerDelayMs: 5_000, replyDelayMs: 300, capabilities: inTheClear },
    deadlineMs: 15_000,
    answer: 'ok mailbox_exists',
  },
  {
    name: 'no-made-up',
    what: 'has said nothing of made-up recipients',
    script: { replyDelayMs: 2_500, capabilities: inTheClear },
    deadlineMs: 15_000,
    answer: 'unknown probe_inconclusive',
  },
  {
    name: 'no-mailbox',
    what: 'has not even said anything of the mailbox',
    script: { replyDelayMs: 6_000, capabilities: inTheClear },
    deadlineMs: 15_000,
    answer: 'unknown session_timeout',
  },
];

const domainOf = ({ name }: Tarpit, repeat: number) => `${name}-${repeat}.example`;

function scriptOf(tarpit: Tarpit, repeat: number): DomainScript {
  const domain = domainOf(tarpit, repeat);
  return {
    domain,
    story: `A tarpit that ${tarpit.what}.`,
    dns: { mx: [[10, `mx.${domain}`]] },
    hosts: { [`mx.${domain}`]: postfix(['ada'], tarpit.script) },
    expected: [],
  };
}

let lab: MailLab;
let engine: TestEngine;
const answers = new Map<string, string>();

beforeAll(async () => {
  const meetings = tarpits.flatMap(tarpit =>
    Array.from({ length: repeats }, (_, repeat) => ({ tarpit, repeat })),
  );
  lab = await startMailLab({ catalog: meetings.map(({ tarpit, repeat }) => scriptOf(tarpit, repeat)) });
  engine = await startEngine(labSettings(lab));
  await Promise.all(
    meetings.map(async ({ tarpit, repeat }) => {
      const domain = domainOf(tarpit, repeat);
      const { result, reason } = await engine.validate(`ada@${domain}`, tarpit.deadlineMs);
      answers.set(domain, `${result} ${reason}`);
    }),
  );
}, 60_000);

afterAll(async () => {
  await engine?.stop();
  await lab?.close();
});

describe('a tarpit gets the same answer each time', () => {
  test.each(tarpits)('where it $what: $answer', tarpit => {
    const given = Array.from({ length: repeats }, (_, repeat) => answers.get(domainOf(tarpit, repeat)));
    expect(given).toEqual(Array.from({ length: repeats }, () => tarpit.answer));
  });
});
