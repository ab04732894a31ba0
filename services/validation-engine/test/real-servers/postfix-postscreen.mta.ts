import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { expectAfterDeferral, expectAtOnce, expectVerdict, many } from './expect-verdicts.ts';
import { hostsOfBoth, openScene, type Scene } from './scene.ts';
import { knownRecipients, startPostfix } from './start-postfix.ts';

/** Waits two seconds instead of six for early talkers, and refuses them. */
const greeting = { postscreen_greet_wait: '2s', postscreen_greet_action: 'enforce' };

/** Instances behind postscreen, by domain name. */
const screens: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'greet-test': greeting,
  // These tests examine the session after the greeting, so an unknown client is asked to come back.
  'deep-tests': {
    ...greeting,
    postscreen_pipelining_enable: 'yes',
    postscreen_pipelining_action: 'enforce',
    postscreen_non_smtp_command_enable: 'yes',
    postscreen_non_smtp_command_action: 'drop',
    postscreen_bare_newline_enable: 'yes',
    postscreen_bare_newline_action: 'enforce',
  },
  'deny-list': {
    ...greeting,
    postscreen_access_list: 'cidr:$config_directory/clients',
    postscreen_denylist_action: 'enforce',
  },
  'deny-list-at-once': {
    ...greeting,
    postscreen_access_list: 'cidr:$config_directory/clients',
    postscreen_denylist_action: 'drop',
  },
  'block-list': {
    ...greeting,
    postscreen_dnsbl_sites: 'bl.example',
    postscreen_dnsbl_action: 'enforce',
  },
  'block-list-at-once': {
    ...greeting,
    postscreen_dnsbl_sites: 'bl.example',
    postscreen_dnsbl_action: 'drop',
  },
};

let scene: Scene;

beforeAll(async () => {
  const names = Object.keys(screens);
  scene = await openScene({
    kind: 'postfix',
    hostOf: hostsOfBoth(names),
    lists: { 'bl.example': { '1.0.0.127.bl.example': '127.0.0.2' } },
    start: (root, site) =>
      Promise.all(
        names.map(async name => {
          const host = `mx.${name}.example`;
          const address = site.addressOf(host);
          const known = knownRecipients([`ada@${name}.example`], [`${name}-everybody.example`]);
          await startPostfix(root, {
            name,
            host,
            address,
            port: site.smtpPort,
            main: { ...known.main, ...screens[name] },
            tables: { ...known.tables, clients: ['127.0.0.0/8 reject'] },
            smtpServices: [
              `${address}:${site.smtpPort} inet n - n - 1 postscreen`,
              'smtpd pass - - n - - smtpd',
              'dnsblog unix - - n - 0 dnsblog',
              'tlsproxy unix - - n - 0 tlsproxy',
            ],
          });
        }),
      ),
  });
});

afterAll(() => scene?.close());

describe('postscreen', () => {
  test.each([
    ['ada@greet-test.example', 'ok mailbox_exists'],
    ['nobody@greet-test.example', 'invalid mailbox_missing'],
    ['x7q2kd9w@greet-test-everybody.example', 'catch_all catch_all'],
  ])('finds us no early talker: %s is %s', async (email, expected) => {
    await expectVerdict(scene.engine, [email, expected]);
  });

  test('lets 60 questions through at once', async () => {
    await expectAtOnce(scene.engine, many(60, 'greet-test.example', 'invalid mailbox_missing'));
  });

  test('sends a stranger away after its deep tests, and answers the next question', async () => {
    await expectAfterDeferral(scene.engine, 'unknown', ['ada@deep-tests.example', 'ok mailbox_exists']);
    await expectVerdict(scene.engine, ['nobody@deep-tests.example', 'invalid mailbox_missing']);
    await expectVerdict(scene.engine, ['x7q2kd9w@deep-tests-everybody.example', 'catch_all catch_all']);
  });

  test.each(['deny-list', 'deny-list-at-once', 'block-list', 'block-list-at-once'])(
    'refuses us by a list without harm to the recipients (%s)',
    async name => {
      await expectAtOnce(scene.engine, [
        [`ada@${name}.example`, 'unknown blocked'],
        [`nobody@${name}.example`, 'unknown blocked'],
        [`x7q2kd9w@${name}-everybody.example`, 'unknown blocked'],
      ]);
    },
  );
});
