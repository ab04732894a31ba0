import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type MailLab, postfix, startMailLab } from '@mailproof/mail-lab';
import pg from 'pg';
import { labSettings, startEngine, type TestEngine, until } from './engine-in-lab.ts';

/** A stranger is deferred whenever it comes first; anybody who comes again comes late enough. */
const greylistMs = 1;
const host = 'mx.greylisting.example';

let lab: MailLab;
let engine: TestEngine;
let database: pg.Pool;

beforeAll(async () => {
  lab = await startMailLab({
    catalogue: [
      {
        domain: 'greylisting.example',
        story: 'Defers strangers for a moment.',
        dns: { mx: [[10, host]] },
        hosts: { [host]: postfix(['ada', 'grace', 'linus'], { greylistMs }) },
        expected: [],
      },
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
  // The host must know the made-up recipients too by then, or their refusal could not be told from a greylist.
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

test('a recipient whom the greylist knows from before waits for the made-up ones, whom it does not', async () => {
  const email = 'linus@greylisting.example';
  expect(await engine.validate(email)).toMatchObject({ reason: 'greylisted' });
  // Made-up recipients change with the key, as they do every week.
  const key = randomBytes(32).toString('base64');
  const later = await startEngine({ ...labSettings(lab), ADDRESS_HASH_KEY: key });
  try {
    expect(await later.validate(email)).toMatchObject({ result: 'unknown', reason: 'greylisted' });
    expect(await later.validate(email)).toMatchObject({ result: 'ok', reason: 'mailbox_exists' });
  } finally {
    await later.stop();
  }
});
