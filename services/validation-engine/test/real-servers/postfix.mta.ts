import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createSelfSigned } from '@mailproof/mail-lab';
import { createTcpConnector } from '../../src/adapters/smtp/tcp-connector.ts';
import { deadlineAfter } from '../../src/domain/concurrency/deadline.ts';
import { expectAtOnce, expectInTurn, expectVerdict, many } from './expect-verdicts.ts';
import { openScene, type Scene } from './scene.ts';
import { knownRecipients, startPostfix, table } from './start-postfix.ts';

const crowd = Array.from({ length: 15 }, (_, index) => `person${index + 1}`);

let scene: Scene;

beforeAll(async () => {
  const identity = await createSelfSigned('mx.tls.example');
  scene = await openScene({
    kind: 'postfix',
    hostOf: {
      'plain.example': 'mx.plain.example',
      'everybody.example': 'mx.plain.example',
      'unix.example': 'mx.plain.example',
      'relayed.example': 'mx.plain.example',
      'stranger.example': 'mx.plain.example',
      'behind.example': 'mx.gateway.example',
      'behind-everybody.example': 'mx.gateway.example',
      'behind-cautious.example': 'mx.cautious-gateway.example',
      'soft-bounce.example': 'mx.soft-bounce.example',
      'inside.example': 'mx.inside.example',
      'tls.example': 'mx.tls.example',
      'tls-everybody.example': 'mx.tls.example',
      'tls-only.example': 'mx.tls-only.example',
      'tls-only-everybody.example': 'mx.tls-only.example',
    },
    async start(root, site) {
      const endpoint = (host: string) => ({ host, address: site.addressOf(host), port: site.smtpPort });
      const plain = knownRecipients(
        ['ada', 'jörg', 'full', 'disabled', 'private', 'later', ...crowd].map(
          name => `${name}@plain.example`,
        ),
        ['everybody.example'],
      );
      root.write('etc/ssl/mail.pem', `${identity.keyPem}\n${identity.certificatePem}\n`, { mode: 0o600 });
      const tls = {
        smtpd_tls_chain_files: '/etc/ssl/mail.pem',
        smtpd_tls_security_level: 'may',
      };
      const inside = knownRecipients(
        ['ada@behind.example', 'ada@behind-cautious.example'],
        ['behind-everybody.example'],
      );
      const softBounce = knownRecipients(['ada@soft-bounce.example']);
      // A gateway that asks the server behind it about each recipient, and waits briefly for the answer.
      const gateway = {
        relay_domains: 'behind.example behind-everybody.example behind-cautious.example',
        relay_transport: `smtp:[${site.addressOf('mx.inside.example')}]:${site.smtpPort}`,
        smtpd_recipient_restrictions: 'reject_unauth_destination, reject_unverified_recipient',
        address_verify_map: 'btree:$data_directory/verify_cache',
        address_verify_poll_delay: '1s',
      };
      await Promise.all([
        startPostfix(root, { name: 'inside', ...endpoint('mx.inside.example'), ...inside }),
        startPostfix(root, {
          name: 'gateway',
          ...endpoint('mx.gateway.example'),
          main: { ...gateway, unverified_recipient_reject_code: '550' },
        }),
        startPostfix(root, {
          name: 'soft-bounce',
          ...endpoint('mx.soft-bounce.example'),
          ...softBounce,
          main: { ...softBounce.main, soft_bounce: 'yes' },
        }),
        // Postfix's defaults: a refusal by the server behind it becomes a transient one here.
        startPostfix(root, {
          name: 'cautious-gateway',
          ...endpoint('mx.cautious-gateway.example'),
          main: gateway,
        }),
        startPostfix(root, {
          name: 'plain',
          ...endpoint('mx.plain.example'),
          main: {
            ...plain.main,
            recipient_delimiter: '+',
            mydestination: 'unix.example',
            local_recipient_maps: table('users'),
            relay_domains: 'relayed.example',
            relay_recipient_maps: table('relayed'),
            relocated_maps: table('relocated'),
            smtpd_recipient_restrictions: `check_recipient_access ${table('access')}`,
          },
          tables: {
            ...plain.tables,
            users: ['ada x'],
            relayed: ['ada@relayed.example x'],
            relocated: ['moved@plain.example somewhere else'],
            access: [
              'full@plain.example 552 5.2.2 Mailbox is full',
              'disabled@plain.example 550 5.2.1 Mailbox disabled',
              'private@plain.example REJECT',
              'later@plain.example DEFER',
            ],
          },
        }),
        startPostfix(root, {
          name: 'tls',
          ...endpoint('mx.tls.example'),
          ...withSettings(knownRecipients(['ada@tls.example'], ['tls-everybody.example']), tls),
        }),
        startPostfix(root, {
          name: 'tls-only',
          ...endpoint('mx.tls-only.example'),
          ...withSettings(knownRecipients(['ada@tls-only.example'], ['tls-only-everybody.example']), {
            ...tls,
            smtpd_tls_security_level: 'encrypt',
          }),
        }),
      ]);
    },
  });
});

function withSettings(known: ReturnType<typeof knownRecipients>, settings: Record<string, string>) {
  return { ...known, main: { ...known.main, ...settings } };
}

afterAll(() => scene?.close());

describe('Postfix', () => {
  test.each([
    ['ada@plain.example', 'ok mailbox_exists'],
    ['ADA@Plain.Example', 'ok mailbox_exists'],
    ['ada+news@plain.example', 'ok mailbox_exists'],
    ['jörg@plain.example', 'ok mailbox_exists'],
    ['nobody@plain.example', 'invalid mailbox_missing'],
    ['"no body"@plain.example', 'invalid mailbox_missing'],
    ['niemand-ä@plain.example', 'invalid mailbox_missing'],
    ['moved@plain.example', 'invalid'],
    ['full@plain.example', 'unknown mailbox_full'],
    ['disabled@plain.example', 'invalid mailbox_disabled'],
    ['private@plain.example', 'unknown policy'],
    ['later@plain.example', 'unknown'],
    ['ada@everybody.example', 'catch_all catch_all'],
    ['x7q2kd9w@everybody.example', 'catch_all catch_all'],
    ['ada@unix.example', 'ok mailbox_exists'],
    ['nobody@unix.example', 'invalid mailbox_missing'],
    ['ada@relayed.example', 'ok mailbox_exists'],
    ['nobody@relayed.example', 'invalid mailbox_missing'],
    ['ada@stranger.example', 'unknown'],
    ['ada@behind.example', 'ok mailbox_exists'],
    ['nobody@behind.example', 'invalid mailbox_missing'],
    ['x7q2kd9w@behind-everybody.example', 'catch_all catch_all'],
    ['ada@behind-cautious.example', 'ok mailbox_exists'],
    ['nobody@behind-cautious.example', 'unknown temporary_failure'],
    ['ada@soft-bounce.example', 'ok mailbox_exists'],
    ['nobody@soft-bounce.example', 'unknown temporary_failure'],
  ])('says of %s: %s', async (email, expected) => {
    await expectVerdict(scene.engine, [email, expected]);
  });
});

describe('Postfix with its usual error limits', () => {
  const missing = many(60, 'plain.example', 'invalid mailbox_missing');
  const existing = many(crowd.length, 'plain.example', 'ok mailbox_exists', 'person');

  test('gets 60 missing and 15 existing recipients right, one after another', async () => {
    expect(missing).toHaveLength(60);
    await expectInTurn(scene.engine, [...missing, ...existing]);
  });

  test('gets them right when all are asked at once', async () => {
    await expectAtOnce(scene.engine, [...existing, ...missing]);
  });

  test('gets 60 recipients of a catch-all domain right at once', async () => {
    await expectAtOnce(scene.engine, many(60, 'everybody.example', 'catch_all catch_all'));
  });
});

describe.each(['tls', 'tls-only'])('Postfix with its own certificate (%s)', name => {
  test.each([
    [`ada@${name}.example`, 'ok mailbox_exists'],
    [`nobody@${name}.example`, 'invalid mailbox_missing'],
    [`ada@${name}-everybody.example`, 'catch_all catch_all'],
  ])('says of %s: %s', async (email, expected) => {
    await expectVerdict(scene.engine, [email, expected]);
  });
});

/** The minimum time that Linux waits before it acknowledges a packet without data to send (TCP_DELACK_MIN). */
const delayedAcknowledgmentMs = 40;

test('Postfix over TLS answers EHLO without a delayed acknowledgment', async () => {
  const deadline = deadlineAfter({ nowMs: () => performance.now() }, 20_000, new AbortController().signal);
  const elapsedMs: number[] = [];
  for (let count = 0; count < 5; count += 1) {
    const host = scene.site.addressOf('mx.tls.example');
    const connected = await createTcpConnector(scene.site.smtpPort).connect(host, deadline);
    if (connected.kind === 'failure') throw new Error(connected.failure);
    const { connection } = connected;
    await connection.listen(deadline);
    for (const command of ['EHLO probe.checker.example', 'STARTTLS']) {
      connection.send([command]);
      await connection.listen(deadline);
    }
    const sinceMs = performance.now();
    expect(await connection.startTls('mx.tls.example', deadline)).toBeUndefined();
    connection.send(['EHLO probe.checker.example']);
    expect(await connection.listen(deadline)).toMatchObject({ reply: { code: 250 } });
    elapsedMs.push(performance.now() - sinceMs);
    connection.close();
  }
  expect(Math.min(...elapsedMs)).toBeLessThan(delayedAcknowledgmentMs);
});
