import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type MailLab, postfix, startMailLab } from '@mailproof/mail-lab';
import pg from 'pg';
import { labSettings, startEngine, type TestEngine, until } from './engine-in-lab.ts';

/** An unknown sender is deferred at first; every retry comes late enough. */
const greylistMs = 1;
const host = 'mx.greylisting.example';

/** Greylists that do not name themselves, and one whose words say nothing at all. */
const unnamed = [
  [
    'greylistd',
    '451 {client} is not yet authorized to deliver mail from <{sender}> to <{recipient}>. Please try later.',
    'greylisted',
  ],
  [
    'iredmail',
    '451 4.7.1 <{recipient}>: Recipient address rejected: Intentional policy rejection, please try again later',
    'greylisted',
  ],
  ['assp', '451 4.7.1 Please try again later', 'greylisted'],
  ['house-made', '450 4.3.0 Not now', 'temporary_failure'],
] as const;

let lab: MailLab;
let engine: TestEngine;
let database: pg.Pool;

beforeAll(async () => {
  lab = await startMailLab({
    catalog: [
      {
        domain: 'greylisting.example',
        story: 'Defers strangers for a moment.',
        dns: { mx: [[10, host]] },
        hosts: { [host]: postfix(['ada', 'grace', 'katherine'], { greylistMs }) },
        expected: [],
      },
      ...unnamed.map(([name, greylistReply]) => ({
        domain: `${name}.example`,
        story: 'Defers strangers briefly, in its own words.',
        dns: { mx: [[10, `mx.${name}.example`] as const] },
        hosts: { [`mx.${name}.example`]: postfix(['ada'], { greylistMs, greylistReply }) },
        expected: [],
      })),
    ],
  });
  engine = await startEngine({ ...labSettings(lab), VALIDATION_MEMORY_DECIDED_SECONDS: '60' });
  database = new pg.Pool({ connectionString: engine.databaseUrl });
});

afterAll(async () => {
  await database?.end();
  await engine?.stop();
  await lab?.close();
});

test('a greylisted address gets its verdict when it is asked about later', async () => {
  expect(await engine.validate('ada@greylisting.example')).toMatchObject({
    result: 'unknown',
    reason: 'greylisted',
  });
  // By then, the host must also know the made-up recipients, or their refusal would look like a greylist.
  await until(async () => (await engine.validate('ada@greylisting.example')).result === 'ok');
});

test('a greylisted address is asked about again behind the answer, and the next question finds the verdict', async () => {
  expect(await engine.validate('grace@greylisting.example')).toMatchObject({ reason: 'greylisted' });
  const deferred = 'SELECT FROM deferred_probe WHERE email = $1';
  expect((await database.query(deferred, ['grace@greylisting.example'])).rowCount).toBe(1);
  await database.query('UPDATE outbox SET due_at = now()');
  await until(async () => (await database.query(deferred, ['grace@greylisting.example'])).rowCount === 0);
  const { connections } = lab.counts().smtp[host] ?? { connections: 0 };
  expect(await engine.validate('grace@greylisting.example')).toMatchObject({
    result: 'ok',
    details: { normalised_email: 'grace@greylisting.example', sessions: [] },
  });
  expect(lab.counts().smtp[host]?.connections).toBe(connections);
});

test.each(unnamed)(
  'a greylist that says it like %s is asked again behind the answer',
  async (name, _reply, reason) => {
    const email = `ada@${name}.example`;
    expect(await engine.validate(email)).toMatchObject({ result: 'unknown', reason });
    const deferred = 'SELECT FROM deferred_probe WHERE email = $1';
    expect((await database.query(deferred, [email])).rowCount).toBe(1);
    await database.query('UPDATE outbox SET due_at = now()');
    await until(async () => (await database.query(deferred, [email])).rowCount === 0);
    const { connections } = lab.counts().smtp[`mx.${name}.example`] ?? { connections: 0 };
    expect(await engine.validate(email)).toMatchObject({ result: 'ok', details: { sessions: [] } });
    expect(lab.counts().smtp[`mx.${name}.example`]?.connections).toBe(connections);
  },
);

test('a recipient whom the greylist knows from before waits for the made-up ones, whom it does not', async () => {
  const email = 'katherine@greylisting.example';
  expect(await engine.validate(email)).toMatchObject({ reason: 'greylisted' });
  // Made-up recipients change with the key, as they do every week; a shorter name has so few that some are the same.
  const key = randomBytes(32).toString('base64');
  const later = await startEngine({ ...labSettings(lab), ADDRESS_HASH_KEY: key });
  try {
    expect(await later.validate(email)).toMatchObject({ result: 'unknown', reason: 'greylisted' });
    expect(await later.validate(email)).toMatchObject({ result: 'ok', reason: 'mailbox_exists' });
  } finally {
    await later.stop();
  }
});
