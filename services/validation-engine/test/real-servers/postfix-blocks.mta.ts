import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { expectAtOnce, expectVerdict, many } from './expect-verdicts.ts';
import { hostsOfBoth, openScene, type Scene } from './scene.ts';
import { knownRecipients, type PostfixPlan, startPostfix, table } from './start-postfix.ts';

interface Block {
  readonly main: Readonly<Record<string, string>>;
  readonly tables?: PostfixPlan['tables'];
  readonly expected: string;
}

/** Postfix refuses clients, names and senders at RCPT, where the refusal seems to concern the recipient. */
const blocks: Readonly<Record<string, Block>> = {
  'client-refused': {
    main: { smtpd_client_restrictions: 'check_client_access cidr:$config_directory/clients' },
    tables: { clients: ['127.0.0.0/8 REJECT'] },
    expected: 'unknown blocked',
  },
  'client-refused-at-once': {
    main: {
      smtpd_client_restrictions: 'check_client_access cidr:$config_directory/clients',
      smtpd_delay_reject: 'no',
    },
    tables: { clients: ['127.0.0.0/8 554 5.7.1 Go away'] },
    expected: 'unknown blocked',
  },
  'client-refused-in-words': {
    main: { smtpd_client_restrictions: 'check_client_access cidr:$config_directory/clients' },
    tables: { clients: ['127.0.0.0/8 550 5.7.1 Your network is banned due to abuse'] },
    expected: 'unknown blocked',
  },
  'client-listed': {
    main: { smtpd_client_restrictions: 'reject_rbl_client bl.example' },
    expected: 'unknown blocked',
  },
  'client-nameless': {
    main: { smtpd_client_restrictions: 'reject_unknown_reverse_client_hostname' },
    expected: 'unknown',
  },
  'client-deferred': {
    main: { smtpd_client_restrictions: 'check_client_access cidr:$config_directory/clients' },
    tables: { clients: ['127.0.0.0/8 DEFER'] },
    expected: 'unknown',
  },
  'name-refused': {
    main: { smtpd_helo_restrictions: `check_helo_access ${table('names')}` },
    tables: { names: ['probe.checker.example REJECT'] },
    expected: 'unknown',
  },
  'name-unknown': {
    main: { smtpd_helo_restrictions: 'reject_unknown_helo_hostname', unknown_hostname_reject_code: '550' },
    expected: 'unknown',
  },
  'sender-refused': {
    main: { smtpd_sender_restrictions: `check_sender_access ${table('senders')}` },
    tables: { senders: ['sender@checker.example REJECT'] },
    expected: 'unknown',
  },
  'sender-domain-unknown': {
    main: { smtpd_sender_restrictions: 'reject_unknown_sender_domain', unknown_address_reject_code: '550' },
    expected: 'unknown',
  },
  'sender-domain-deferred': {
    main: { smtpd_sender_restrictions: 'reject_unknown_sender_domain' },
    expected: 'unknown',
  },
};

let scene: Scene;

beforeAll(async () => {
  const names = Object.keys(blocks);
  scene = await openScene({
    kind: 'postfix',
    hostOf: hostsOfBoth(names),
    lists: { 'bl.example': { '1.0.0.127.bl.example': '127.0.0.2' } },
    missingDomains: ['checker.example'],
    settings: { VALIDATION_MAIL_FROM: 'sender@checker.example' },
    start: (root, site) =>
      Promise.all(
        names.map(async name => {
          const host = `mx.${name}.example`;
          const known = knownRecipients([`ada@${name}.example`], [`${name}-everybody.example`]);
          const block = blocks[name];
          await startPostfix(root, {
            name,
            host,
            address: site.addressOf(host),
            port: site.smtpPort,
            main: { ...known.main, ...block?.main },
            tables: { ...known.tables, ...block?.tables },
          });
        }),
      ),
  });
});

afterAll(() => scene?.close());

describe.each(Object.entries(blocks))('Postfix that does not want us (%s)', (name, { expected }) => {
  test.each([`ada@${name}.example`, `nobody@${name}.example`, `x7q2kd9w@${name}-everybody.example`])(
    'leaves %s open',
    async email => {
      await expectVerdict(scene.engine, [email, expected]);
    },
  );
});

test('60 missing recipients stay open where our address is blocked', async () => {
  await expectAtOnce(scene.engine, many(60, 'client-refused.example', 'unknown blocked'));
});
