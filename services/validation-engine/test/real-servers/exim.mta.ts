import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Expectation,
  expectAfterDeferral,
  expectAtOnce,
  expectEventually,
  expectInTurn,
  expectVerdict,
  many,
} from './expect-verdicts.ts';
import { openScene, type Scene } from './scene.ts';
import { repliesTo, secondGreeting } from './smtp-dialogue.ts';
import { type EximPlan, knows, startExim } from './start-exim.ts';

const people = many(6, 'x', '', 'person').map(([email]) => email.slice(0, -2));

/** Debian's way to look up recipients. */
const verified = [
  '  require',
  '    message = relay not permitted',
  '    domains = ! elsewhere.example',
  '  require',
  '    verify = recipient',
];

/** Instances by domain name; each also has a catch-all domain. */
const instances: Readonly<Record<string, Partial<EximPlan>>> = {
  'exim-plain': {},
  // Many sites require a bounce, which our question looks like, to have one recipient.
  'exim-one-for-bounces': {
    rcpt: [
      '  deny',
      '    senders = :',
      `    condition = \${if > {$rcpt_count}{1}}`,
      '    message = only one recipient accepted for bounce messages',
      ...verified,
    ],
  },
  // The same rule, without an explanation.
  'exim-one-silently': {
    rcpt: ['  deny', '    senders = :', `    condition = \${if > {$rcpt_count}{1}}`, ...verified],
  },
  'exim-one-of-all': { main: ['recipients_max = 1'] },
  'exim-one-session': { main: ['smtp_accept_max = 20', 'smtp_accept_max_per_host = 1'] },
  // Becomes slower with each recipient.
  'exim-slow': { main: ['smtp_ratelimit_hosts = *', 'smtp_ratelimit_rcpt = 1,0.2s,1.1,1s'] },
  'exim-greylist': {
    rcpt: [
      '  defer',
      '    ! seen = -4s / key=greylist_$local_part@$domain',
      '    message = Greylisted, please try again later',
      ...verified,
    ],
  },
  'exim-listed': {
    rcpt: ['  deny', '    dnslists = bl.example', ...verified],
  },
  'exim-listed-in-words': {
    rcpt: [
      '  deny',
      '    message = rejected because $sender_host_address is in a black list at $dnslist_domain',
      '    dnslists = bl.example',
      ...verified,
    ],
  },
  'exim-refused-at-once': { connect: ['  deny', '    hosts = 127.0.0.0/8'] },
  'exim-few-errors': {
    main: ['smtp_max_synprot_errors = 0', 'smtp_max_unknown_commands = 0'],
    rcpt: [
      '  drop',
      `    condition = \${if > {$rcpt_fail_count}{1}}`,
      '    message = Too many failed recipients',
      ...verified,
    ],
  },
};

const names = Object.keys(instances);
let scene: Scene;

beforeAll(async () => {
  scene = await openScene({
    kind: 'exim',
    hostOf: {
      ...Object.fromEntries(
        names.flatMap(name => [
          [`${name}.example`, `mx.${name}.example`],
          [`${name}-everybody.example`, `mx.${name}.example`],
        ]),
      ),
      'elsewhere.example': 'mx.exim-plain.example',
      'behind.example': 'mx.exim-front.example',
      'behind-everybody.example': 'mx.exim-front.example',
      'inside.example': 'mx.exim-inside.example',
    },
    lists: { 'bl.example': { '1.0.0.127.bl.example': '127.0.0.2' } },
    start(root, site) {
      const endpoint = (host: string) => ({ host, address: site.addressOf(host), port: site.smtpPort });
      return Promise.all([
        ...names.map(name =>
          startExim(root, {
            name,
            ...endpoint(`mx.${name}.example`),
            rcpt: verified,
            routers: [
              'full:',
              '  driver = redirect',
              '  local_parts = full',
              '  data = :defer: Mailbox is full',
              '  allow_defer',
              'disabled:',
              '  driver = redirect',
              '  local_parts = disabled',
              '  data = :fail: Account disabled',
              '  allow_fail',
              ...knows(`${name}.example`, ['ada', ...people]),
              ...knows(`${name}-everybody.example`, 'everybody'),
            ],
            ...instances[name],
          }),
        ),
        // A gateway that asks the server behind it about each recipient.
        startExim(root, {
          name: 'front',
          ...endpoint('mx.exim-front.example'),
          rcpt: ['  require', '    verify = recipient/callout=10s'],
          routers: [
            'inside:',
            '  driver = manualroute',
            `  route_list = * ${site.addressOf('mx.exim-inside.example')}`,
            // Both are loopback addresses, which Exim would regard as its own.
            '  self = send',
            '  transport = onwards',
          ],
        }),
        startExim(root, {
          name: 'inside',
          ...endpoint('mx.exim-inside.example'),
          rcpt: verified,
          routers: [...knows('behind.example', ['ada']), ...knows('behind-everybody.example', 'everybody')],
        }),
      ]);
    },
  });
});

afterAll(() => scene?.close());

function usual(name: string): Expectation[] {
  return [
    [`ada@${name}.example`, 'ok mailbox_exists'],
    [`nobody@${name}.example`, 'invalid mailbox_missing'],
    [`x7q2kd9w@${name}-everybody.example`, 'catch_all catch_all'],
  ];
}

describe('Exim', () => {
  test.each<Expectation>([
    ...usual('exim-plain'),
    ['full@exim-plain.example', 'unknown mailbox_full'],
    ['disabled@exim-plain.example', 'invalid mailbox_disabled'],
    ['ada@elsewhere.example', 'unknown'],
    ...usual('behind'),
  ])('says of %s: %s', async (email, expected) => {
    await expectVerdict(scene.engine, [email, expected]);
  });

  test('gets 60 missing recipients right, one after another', async () => {
    await expectInTurn(scene.engine, many(60, 'exim-plain.example', 'invalid mailbox_missing'));
  });

  test('gets them right when all are asked at once, with existing ones among them', async () => {
    await expectAtOnce(scene.engine, [
      ...many(60, 'exim-plain.example', 'invalid mailbox_missing'),
      ...many(people.length, 'exim-plain.example', 'ok mailbox_exists', 'person'),
    ]);
  });
});

describe.each(names.filter(name => !/plain|greylist|listed|refused/.test(name)))(
  'Exim with rules (%s)',
  name => {
    test.each(usual(name))('says of %s: %s', async (email, expected) => {
      await expectVerdict(scene.engine, [email, expected]);
    });

    test('tells 60 missing recipients from existing ones, asked at once', async () => {
      await expectEventually(scene.engine, [
        ...many(60, `${name}.example`, 'invalid mailbox_missing'),
        ...many(people.length, `${name}.example`, 'ok mailbox_exists', 'person'),
      ]);
    });
  },
);

describe("Exim's limits", () => {
  test.each([
    ['exim-one-for-bounces', /^550 only one recipient/, 'ada', 'ada'],
    ['exim-one-silently', /^550 Administrative prohibition/, 'ada', 'ada'],
    ['exim-one-of-all', /^452 too many recipients/, 'ada', 'ada'],
    ['exim-few-errors', /^550 Too many failed recipients/, 'nobody1', 'nobody2', 'nobody3'],
  ])('are real (%s)', async (name, says, ...localParts) => {
    const replies = await repliesTo(scene.site.addressOf(`mx.${name}.example`), scene.site.smtpPort, [
      'EHLO someone.example',
      'MAIL FROM:<>',
      ...localParts.map(localPart => `RCPT TO:<${localPart}@${name}.example>`),
    ]);
    expect(replies).toContainEqual(expect.stringMatching(says));
  });

  test('are real (exim-one-session)', async () => {
    const greeting = await secondGreeting(
      scene.site.addressOf('mx.exim-one-session.example'),
      scene.site.smtpPort,
    );
    expect(greeting).toMatch(/^421 Too many concurrent SMTP connections/);
  });
});

describe('Exim that puts strangers off', () => {
  test.each(usual('exim-greylist'))('says of %s: %s, when asked again', async (email, expected) => {
    await expectAfterDeferral(scene.engine, 'unknown greylisted', [email, expected]);
  });
});

// Without configured words, Exim says "Administrative prohibition", which does not say what is prohibited.
test.each([
  ['exim-listed', 'unknown'],
  ['exim-listed-in-words', 'unknown blocked'],
  ['exim-refused-at-once', 'unknown'],
])('Exim that does not want us (%s) leaves every recipient open', async (name, expected) => {
  await expectAtOnce(
    scene.engine,
    usual(name).map(([email]) => [email, expected]),
  );
});
