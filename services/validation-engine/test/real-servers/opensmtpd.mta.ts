import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { createSelfSigned } from '@mailproof/mail-lab';
import { type Expectation, expectAtOnce, expectInTurn, expectVerdict, many } from './expect-verdicts.ts';
import { openScene, type Scene } from './scene.ts';
import { startOpenSmtpd } from './start-opensmtpd.ts';

const crowd = many(6, 'virtual.example', 'ok mailbox_exists', 'person');
const host = 'mx.virtual.example';

let scene: Scene;

beforeAll(async () => {
  const identity = await createSelfSigned(host);
  scene = await openScene({
    kind: 'opensmtpd',
    hostOf: {
      'virtual.example': host,
      'everybody.example': host,
      'unix.example': host,
      'relayed.example': host,
      'stranger.example': host,
    },
    start: (root, site) => {
      root.write('etc/ssl/mail.key', identity.keyPem, { mode: 0o600 });
      root.write('etc/ssl/mail.crt', identity.certificatePem);
      return startOpenSmtpd(root, {
        host,
        address: site.addressOf(host),
        port: site.smtpPort,
        tables: {
          people: [
            ...['ada', 'full', 'disabled', 'greylisted', 'later'].map(
              name => `${name}@virtual.example: vmail`,
            ),
            ...crowd.map(([email]) => `${email}: vmail`),
            '@everybody.example: vmail',
          ],
          relayed: ['ada@relayed.example'],
        },
        before: [
          'pki own cert "/etc/ssl/mail.crt"',
          'pki own key "/etc/ssl/mail.key"',
          ...[
            ['full', '552 5.2.2 Mailbox full'],
            ['disabled', '550 5.2.1 Mailbox disabled'],
            ['greylisted', '451 4.7.1 Greylisted, come back later'],
            ['later', '450 4.3.0 Temporary failure'],
          ].map(
            ([name, reply]) =>
              `filter "${name}" phase rcpt-to match rcpt-to { "${name}@virtual.example" } reject "${reply}"`,
          ),
          'filter "all" chain { "full", "disabled", "greylisted", "later" }',
        ],
        listener: 'tls pki own filter "all"',
        actions: [
          'action "virtual" maildir "/var/mail/%{dest.user}" virtual <people>',
          'action "unix" mbox',
          'action "onwards" relay',
          'match from any for domain { "virtual.example", "everybody.example" } action "virtual"',
          'match from any for domain "unix.example" action "unix"',
          'match from any for domain "relayed.example" rcpt-to <relayed> action "onwards"',
        ],
      });
    },
  });
});

afterAll(() => scene?.close());

describe('OpenSMTPD', () => {
  test.each<Expectation>([
    ['ada@virtual.example', 'ok mailbox_exists'],
    ['nobody@virtual.example', 'invalid mailbox_missing'],
    ['full@virtual.example', 'unknown mailbox_full'],
    ['disabled@virtual.example', 'invalid mailbox_disabled'],
    ['greylisted@virtual.example', 'unknown greylisted'],
    ['later@virtual.example', 'unknown temporary_failure'],
    ['ada@everybody.example', 'catch_all catch_all'],
    ['x7q2kd9w@everybody.example', 'catch_all catch_all'],
    ['vmail@unix.example', 'ok mailbox_exists'],
    ['nosuchuser@unix.example', 'invalid mailbox_missing'],
    ['ada@relayed.example', 'ok mailbox_exists'],
    ['nobody@relayed.example', 'invalid mailbox_missing'],
    // For a domain that is not its own, it sends exactly the reply for a missing mailbox.
    ['ada@stranger.example', 'invalid mailbox_missing'],
  ])('says of %s: %s', async (email, expected) => {
    await expectVerdict(scene.engine, [email, expected]);
  });

  test('gets 60 missing and 6 existing recipients right, one after another', async () => {
    await expectInTurn(scene.engine, [...many(60, 'virtual.example', 'invalid mailbox_missing'), ...crowd]);
  });

  test('gets them right when all are asked at once', async () => {
    await expectAtOnce(scene.engine, [...many(60, 'virtual.example', 'invalid mailbox_missing'), ...crowd]);
  });
});

describe('OpenSMTPD that does not want us', () => {
  let refusing: Scene;
  const hosts = {
    'refusing.example': 'mx.refusing.example',
    'refusing-everybody.example': 'mx.refusing.example',
  };

  beforeAll(async () => {
    refusing = await openScene({
      kind: 'opensmtpd',
      hostOf: hosts,
      start: (root, site) =>
        startOpenSmtpd(root, {
          host: 'mx.refusing.example',
          address: site.addressOf('mx.refusing.example'),
          port: site.smtpPort,
          tables: { people: ['ada@refusing.example: vmail', '@refusing-everybody.example: vmail'] },
          before: [
            'filter "nameless" phase connect match !rdns disconnect "550 5.7.1 Client host rejected: no reverse DNS"',
          ],
          listener: 'filter "nameless"',
          actions: [
            'action "virtual" maildir "/var/mail/%{dest.user}" virtual <people>',
            'match from any for domain { "refusing.example", "refusing-everybody.example" } action "virtual"',
          ],
        }),
    });
  });
  afterAll(() => refusing?.close());

  test('leaves every recipient open', async () => {
    await expectAtOnce(refusing.engine, [
      ['ada@refusing.example', 'unknown blocked'],
      ['nobody@refusing.example', 'unknown blocked'],
      ['x7q2kd9w@refusing-everybody.example', 'unknown blocked'],
    ]);
  });
});
