import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type DomainScript, type MailLab, postfix, type SmtpScript, startMailLab } from '@mailproof/mail-lab';
import { labSettings, startEngine, type TestEngine, until } from './engine-in-lab.ts';

const existing = Array.from({ length: 20 }, (_, index) => `here${index}`);
const missing = Array.from({ length: 60 }, (_, index) => `nobody${index}`);

function domainWith(domain: string, script: Partial<SmtpScript>): DomainScript {
  return {
    domain,
    story: 'Many of its people are asked about at once.',
    dns: { mx: [[10, `mx.${domain}`]] },
    hosts: { [`mx.${domain}`]: postfix(existing, script) },
    expected: [],
  };
}

const withoutPipelining = ['SIZE 10240000', '8BITMIME'];

/** Ways in which hosts handle many recipients in one session. */
const hosts: readonly (readonly [domain: string, what: string, script: Partial<SmtpScript>])[] = [
  ['patient.example', 'that answers every question', {}],
  ['strict.example', 'that hangs up after 20 refusals', { errorLimit: 20 }],
  ['stern.example', 'that hangs up after 3 refusals', { errorLimit: 3 }],
  ['single.example', 'that takes one recipient in a transaction', { recipientsPerTransactionMax: 1 }],
  ['narrow.example', 'that takes three recipients in a transaction', { recipientsPerTransactionMax: 3 }],
  ['plain.example', 'that knows no PIPELINING', { capabilities: withoutPipelining }],
  ['shy.example', 'that takes one session at a time', { concurrentSessionsMax: 1 }],
  ['clear.example', 'that offers TLS and then has none', { starttls: '454 4.7.0 TLS not available' }],
  [
    'alike.example',
    'that says the same to everything',
    {
      mail: '250 Ok',
      rset: '250 Ok',
      mailboxes: Object.fromEntries(existing.map(localPart => [localPart, '250 Ok'])),
    },
  ],
];

let lab: MailLab;
let engine: TestEngine;

beforeAll(async () => {
  lab = await startMailLab({
    catalog: [
      ...hosts.map(([domain, , script]) => domainWith(domain, script)),
      domainWith('slow.example', { replyDelayMs: 100 }),
    ],
  });
  engine = await startEngine({ ...labSettings(lab), VALIDATION_MEMORY_DOMAIN_SECONDS: '600' });
});

/** Restarts the counts once the sessions of earlier tests have ended. */
async function recount(domain: string): Promise<void> {
  await until(() => (countsOf(domain)?.sessionsOpen ?? 0) === 0);
  lab.resetCounts();
}

afterAll(async () => {
  await engine?.stop();
  await lab?.close();
});

const countsOf = (domain: string) => lab.counts().smtp[`mx.${domain}`];

describe('many recipients at once', () => {
  test.each(hosts)('at a host (%s) %s all get their verdicts', async domain => {
    const verdicts = await Promise.all(
      [...existing, ...missing].map(async localPart => {
        const { result } = await engine.validate(`${localPart}@${domain}`);
        return `${localPart.replace(/\d+/, '')} ${result}`;
      }),
    );
    expect(new Set(verdicts)).toEqual(new Set(['here ok', 'nobody invalid']));
    expect(countsOf(domain)?.violations).toEqual([]);
  });

  test('share sessions, and no session meets more refusals than a host bears', async () => {
    await recount('strict.example');
    await Promise.all(missing.map(localPart => engine.validate(`${localPart}@strict.example`)));
    const { connections = 0, commands = {} } = countsOf('strict.example') ?? {};
    expect(connections).toBeLessThanOrEqual(20);
    // A session that the host itself ended would have no QUIT.
    await until(() => countsOf('strict.example')?.sessionsOpen === 0);
    expect(countsOf('strict.example')?.commands['QUIT']).toBe(connections);
    // A flight may have a recipient more that the host has accepted before.
    expect(commands['RCPT']).toBeGreaterThanOrEqual(missing.length);
    expect(commands['RCPT']).toBeLessThanOrEqual(missing.length + 20);
  });

  test('are shown nothing of each other', async () => {
    const all = await Promise.all(
      [...existing, ...missing].map(async localPart => ({
        localPart,
        sessions: (await engine.validate(`${localPart}@patient.example`)).details.sessions,
      })),
    );
    for (const { localPart, sessions } of all) {
      const asked = JSON.stringify(sessions).match(/(?:here|nobody)\d+(?=@)/g) ?? [];
      expect(new Set(asked)).toEqual(new Set([localPart]));
    }
  });

  test('are unaffected when one of them disconnects', async () => {
    const body = { accountId: 'acct_0123456789abcdef0123456789abcdef', deadlineMs: 60_000 };
    const caller = new AbortController();
    const gone = engine.askUntil({ ...body, email: 'here0@slow.example' }, caller.signal);
    const others = missing.slice(0, 8).map(localPart => engine.validate(`${localPart}@slow.example`));
    await until(() => (countsOf('slow.example')?.recipientsAsked ?? 0) > 0);
    caller.abort();
    await expect(gone).rejects.toThrow();
    expect(new Set((await Promise.all(others)).map(({ result }) => result))).toEqual(new Set(['invalid']));
  });
});

describe('what a host says to made-up recipients', () => {
  test('is remembered for its domain, and one is asked about with each acceptance again', async () => {
    const first = await engine.validate('here1@narrow.example');
    const { recipientsAsked } = countsOf('narrow.example') ?? {};
    const second = await engine.validate('here2@narrow.example');
    expect([first.result, second.result]).toEqual(['ok', 'ok']);
    expect((countsOf('narrow.example')?.recipientsAsked ?? 0) - (recipientsAsked ?? 0)).toBe(4);
    const asked = second.details.sessions[0]?.exchanges.filter(({ command }) => command.startsWith('RCPT'));
    expect(asked?.map(({ reply }) => reply.slice(0, 3))).toEqual(['250', '250', '550']);
    expect(second.details.sessions[0]?.compared_seconds_ago).toBeGreaterThanOrEqual(0);
  });
});

describe('a session', () => {
  test('waits a while for further questions and then takes leave', async () => {
    await recount('patient.example');
    await engine.validate('here3@patient.example');
    await engine.validate('here4@patient.example');
    expect(countsOf('patient.example')).toMatchObject({ connections: 1, sessionsOpen: 1 });
    await until(() => countsOf('patient.example')?.sessionsOpen === 0);
    expect(countsOf('patient.example')?.commands['QUIT']).toBe(1);
  });

  test('is ended politely when the engine stops', async () => {
    await recount('patient.example');
    const another = await startEngine(labSettings(lab));
    await another.validate('here5@patient.example');
    await another.stop();
    expect(countsOf('patient.example')?.commands['QUIT']).toBe(countsOf('patient.example')?.connections);
  });
});
