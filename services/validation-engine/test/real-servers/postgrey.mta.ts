import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import pg from 'pg';
import { type Expectation, expectAfterDeferral, expectVerdict, judge } from './expect-verdicts.ts';
import { openScene, type Scene } from './scene.ts';
import { knownRecipients, startPostfix } from './start-postfix.ts';
import { startPostgrey } from './start-postgrey.ts';

const delaySeconds = 5;
const policyPort = 10_023;
const retryDeadlineMs = 60_000;

let scene: Scene;
let database: pg.Pool;

beforeAll(async () => {
  scene = await openScene({
    kind: 'postgrey',
    hostOf: {
      'grey.example': 'mx.grey.example',
      'grey-everybody.example': 'mx.grey.example',
      'grey-after-look-up.example': 'mx.grey-after-look-up.example',
    },
    settings: { VALIDATION_MEMORY_DECIDED_SECONDS: '60' },
    async start(root, site) {
      const address = site.addressOf('mx.grey.example');
      await startPostgrey(root, { address, port: policyPort, delaySeconds });
      const policy = `check_policy_service inet:${address}:${policyPort}`;
      const endpoint = (host: string) => ({ host, address: site.addressOf(host), port: site.smtpPort });
      const grey = knownRecipients(['ada@grey.example', 'grace@grey.example'], ['grey-everybody.example']);
      const after = knownRecipients(['ada@grey-after-look-up.example']);
      await Promise.all([
        // Unknown senders are deferred first; only then does the host look up the mailbox.
        startPostfix(root, {
          name: 'grey',
          ...endpoint('mx.grey.example'),
          ...grey,
          main: { ...grey.main, smtpd_recipient_restrictions: policy },
        }),
        startPostfix(root, {
          name: 'grey-after-look-up',
          ...endpoint('mx.grey-after-look-up.example'),
          ...after,
          main: { ...after.main, smtpd_recipient_restrictions: `reject_unlisted_recipient, ${policy}` },
        }),
      ]);
    },
  });
  database = new pg.Pool({ connectionString: scene.engine.databaseUrl });
});

afterAll(async () => {
  await database?.end();
  await scene?.close();
});

describe('postgrey', () => {
  test.each<Expectation>([
    ['ada@grey.example', 'ok mailbox_exists'],
    ['nobody@grey.example', 'invalid mailbox_missing'],
    ['x7q2kd9w@grey-everybody.example', 'catch_all catch_all'],
    ['ada@grey-after-look-up.example', 'ok mailbox_exists'],
  ])('puts %s off, and says %s when asked again', async (email, expected) => {
    await expectAfterDeferral(scene.engine, 'unknown greylisted', [email, expected]);
  });

  test('defers no recipient whose mailbox is missing, if Postfix checks first', async () => {
    await expectVerdict(scene.engine, ['nobody@grey-after-look-up.example', 'invalid mailbox_missing']);
  });

  test('is asked again behind the answer, and the next question finds the verdict', async () => {
    const email = 'grace@grey.example';
    judge(await scene.engine.validate(email), [email, 'unknown greylisted']);
    const deferred = 'SELECT attempts FROM deferred_probe WHERE email = $1';
    expect((await database.query(deferred, [email])).rowCount).toBe(1);
    await waitFor(
      'The deferred question is answered',
      async () => {
        // The engine would wait for the usual delay of greylists; this one has a shorter delay.
        await database.query('UPDATE outbox SET due_at = now()');
        return (await database.query(deferred, [email])).rowCount === 0;
      },
      { deadlineMs: retryDeadlineMs, everyMs: 1_000 },
    );
    const verdict = await scene.engine.validate(email);
    judge(verdict, [email, 'ok mailbox_exists']);
    expect(verdict.details).toMatchObject({ sessions: [] });
  });
});
