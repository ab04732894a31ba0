import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { type Expectation, expectAtOnce, expectVerdict, many } from './expect-verdicts.ts';
import { hostsOfBoth, openScene, type Scene } from './scene.ts';
import { knownRecipients, startPostfix, table } from './start-postfix.ts';

/** Settings that change how Postfix words and codes a refusal, by domain name. */
const habits: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // The footer of Postfix's manual.
  footer: {
    smtpd_reject_footer:
      'For assistance, call 800-555-0101. Please provide the following information in your problem report: time ($localtime), client ($client_address) and server ($server_name).',
  },
  delimiter: { recipient_delimiter: '+' },
  // The site's own code for an unknown recipient.
  'other-code': { unknown_virtual_mailbox_reject_code: '554' },
  'transient-code': { unknown_virtual_mailbox_reject_code: '450' },
  // Recipients of a server behind it.
  'relay-map': {},
  'hidden-tables': { show_user_unknown_table_name: 'no' },
  'access-map': {
    smtpd_recipient_restrictions: `check_recipient_access ${table('access')}, reject_unauth_destination`,
  },
};

const names = Object.keys(habits);
let scene: Scene;

beforeAll(async () => {
  scene = await openScene({
    kind: 'postfix',
    hostOf: hostsOfBoth(names),
    start: (root, site) =>
      Promise.all(
        names.map(name => {
          const host = `mx.${name}.example`;
          const known = knownRecipients(
            ['ada', 'gone', 'private'].map(localPart => `${localPart}@${name}.example`),
            [`${name}-everybody.example`],
          );
          const recipients = {
            relay_domains: `${name}.example ${name}-everybody.example`,
            relay_recipient_maps: table('mailboxes'),
            relay_transport: 'discard',
          };
          return startPostfix(root, {
            name,
            host,
            address: site.addressOf(host),
            port: site.smtpPort,
            main: { ...(name === 'relay-map' ? recipients : known.main), ...habits[name] },
            tables: {
              ...known.tables,
              access: [
                `gone@${name}.example 550 5.1.6 Recipient no longer on server`,
                `private@${name}.example 554 5.7.1 This mailbox takes mail from colleagues only`,
              ],
            },
          });
        }),
      ),
  });
});

afterAll(() => scene?.close());

describe.each(names)('Postfix with a habit (%s)', name => {
  const missing = name === 'transient-code' ? 'unknown' : 'invalid mailbox_missing';

  test.each<Expectation>([
    [`ada@${name}.example`, 'ok mailbox_exists'],
    [`nobody@${name}.example`, missing],
    [`x7q2kd9w@${name}-everybody.example`, 'catch_all catch_all'],
  ])('says of %s: %s', async (email, expected) => {
    await expectVerdict(scene.engine, [email, expected]);
  });

  test('tells recipients apart that are asked about at once, four times', async () => {
    for (let times = 0; times < 4; times += 1) {
      await expectAtOnce(scene.engine, [
        ...many(8, `${name}.example`, missing),
        [`ada@${name}.example`, 'ok mailbox_exists'],
      ]);
    }
  });
});

test.each<Expectation>([
  ['ada+news@delimiter.example', 'ok mailbox_exists'],
  ['nobody+news@delimiter.example', 'invalid mailbox_missing'],
  ['gone@access-map.example', 'invalid mailbox_missing'],
  ['private@access-map.example', 'unknown policy'],
])('Postfix says of %s: %s', async (email, expected) => {
  await expectVerdict(scene.engine, [email, expected]);
});
