import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectEventually, many } from './expect-verdicts.ts';
import { hostsOfBoth, openScene, type Scene } from './scene.ts';
import { repliesTo, secondGreeting } from './smtp-dialogue.ts';
import { knownRecipients, type PostfixPlan, startPostfix } from './start-postfix.ts';

interface Limit extends Pick<PostfixPlan, 'main' | 'serviceOptions'> {
  /** Lines of one session that reach the limit. */
  readonly lines?: readonly string[];
  /** Postfix's reply at the limit; without `lines`, the reply to a second session. */
  readonly says: RegExp;
}

const introduction = ['EHLO someone.example', 'MAIL FROM:<>'];

function recipients(count: number, domain: string): string[] {
  return many(count, domain, '').map(([email]) => `RCPT TO:<${email}>`);
}

/** Instances with one limit each, by domain name. */
const limits: Readonly<Record<string, Limit>> = {
  // Becomes slower after each error, and disconnects after the third.
  'few-errors': {
    main: { smtpd_soft_error_limit: '1', smtpd_hard_error_limit: '3', smtpd_error_sleep_time: '1s' },
    lines: [...introduction, ...recipients(4, 'few-errors.example')],
    says: /^421 4\.7\.0 .*too many errors/,
  },
  // Postfix's default when all its slots are taken: it disconnects after the first error.
  stressed: {
    serviceOptions: ['stress=yes'],
    lines: [...introduction, ...recipients(2, 'stressed.example')],
    says: /^421 4\.7\.0 .*too many errors/,
  },
  'one-recipient': {
    main: { smtpd_recipient_limit: '1' },
    lines: [
      ...introduction,
      'RCPT TO:<person1@one-recipient.example>',
      'RCPT TO:<person2@one-recipient.example>',
    ],
    says: /^452 4\.5\.3 /,
  },
  'one-session': {
    main: { smtpd_client_connection_count_limit: '1' },
    says: /^421 4\.7\.0 .*too many connections/,
  },
  'few-recipients-a-moment': {
    main: { smtpd_client_recipient_rate_limit: '30', anvil_rate_time_unit: '3s' },
    lines: [...introduction, ...recipients(35, 'few-recipients-a-moment-everybody.example')],
    says: /^450 4\.7\.1 .*too many recipients/,
  },
  // Every RSET beyond the first is an error.
  'one-rset': {
    main: { smtpd_junk_command_limit: '1', smtpd_hard_error_limit: '3' },
    lines: [...introduction, 'RSET', 'RSET', 'RSET', 'RSET', 'RSET', 'RSET'],
    says: /^421 4\.7\.0 .*too many errors/,
  },
  'no-extensions': {
    main: {
      smtpd_discard_ehlo_keywords: 'pipelining, starttls, enhancedstatuscodes, 8bitmime, smtputf8, dsn',
    },
    lines: ['MAIL FROM:<> SMTPUTF8'],
    says: /^5/,
  },
};

let scene: Scene;

beforeAll(async () => {
  const names = Object.keys(limits);
  scene = await openScene({
    kind: 'postfix',
    hostOf: hostsOfBoth(names),
    start: (root, site) =>
      Promise.all(
        names.map(async name => {
          const host = `mx.${name}.example`;
          const known = knownRecipients(
            many(6, `${name}.example`, '', 'person').map(([email]) => email),
            [`${name}-everybody.example`],
          );
          const limit = limits[name];
          await startPostfix(root, {
            name,
            host,
            address: site.addressOf(host),
            port: site.smtpPort,
            ...known,
            main: { ...known.main, ...limit?.main },
            serviceOptions: limit?.serviceOptions ?? [],
          });
        }),
      ),
  });
});

afterAll(() => scene?.close());

describe.each(Object.keys(limits))('Postfix with limits (%s)', name => {
  const existing = many(6, `${name}.example`, 'ok mailbox_exists', 'person');
  const everybody = many(4, `${name}-everybody.example`, 'catch_all catch_all');

  test('has the limit', async () => {
    const { lines, says } = limits[name] as Limit;
    const address = scene.site.addressOf(`mx.${name}.example`);
    const { smtpPort } = scene.site;
    const replies = lines
      ? await repliesTo(address, smtpPort, lines)
      : [await secondGreeting(address, smtpPort)];
    expect(replies).toContainEqual(expect.stringMatching(says));
  });

  test('knows its recipients', async () => {
    await expectEventually(scene.engine, [
      ...existing,
      ...many(4, `${name}.example`, 'invalid mailbox_missing'),
    ]);
  });

  test('accepts every recipient of a catch-all domain', async () => {
    await expectEventually(scene.engine, everybody);
  });

  test('tells 60 missing recipients from existing ones, asked at once', async () => {
    const missing = many(60, `${name}.example`, 'invalid mailbox_missing', 'nobody-at-once');
    await expectEventually(scene.engine, [...missing, ...existing, ...everybody]);
  });
});
