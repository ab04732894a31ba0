import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { expectEventually, expectInTurn, many } from './expect-verdicts.ts';
import { openScene, type Scene } from './scene.ts';
import { knownRecipients, type PostfixPlan, startPostfix } from './start-postfix.ts';

/** Instances with a limit each, by the name of their domain. */
const limits: Readonly<Record<string, Pick<PostfixPlan, 'main' | 'serviceOptions'>>> = {
  // Slower after each error, and gone after the third.
  'few-errors': {
    main: { smtpd_soft_error_limit: '1', smtpd_hard_error_limit: '3', smtpd_error_sleep_time: '1s' },
  },
  // What Postfix does by itself when all its places are taken: gone after the first error.
  stressed: { serviceOptions: ['stress=yes'] },
  'one-recipient': { main: { smtpd_recipient_limit: '1' } },
  'one-session': { main: { smtpd_client_connection_count_limit: '1' } },
  // Every RSET beyond the first is an error.
  'one-rset': { main: { smtpd_junk_command_limit: '1', smtpd_hard_error_limit: '3' } },
  'no-extensions': {
    main: {
      smtpd_discard_ehlo_keywords: 'pipelining, starttls, enhancedstatuscodes, 8bitmime, smtputf8, dsn',
    },
  },
};

let scene: Scene;

beforeAll(async () => {
  const names = Object.keys(limits);
  scene = await openScene({
    kind: 'postfix',
    hostOf: Object.fromEntries(
      names.flatMap(name => [
        [`${name}.example`, `mx.${name}.example`],
        [`${name}-everybody.example`, `mx.${name}.example`],
      ]),
    ),
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
            ...limit,
            main: { ...known.main, ...limit?.main },
          });
        }),
      ),
  });
});

afterAll(() => scene?.close());

describe.each(Object.keys(limits))('Postfix with limits (%s)', name => {
  const existing = many(6, `${name}.example`, 'ok mailbox_exists', 'person');
  const everybody = many(4, `${name}-everybody.example`, 'catch_all catch_all');

  test('knows its recipients', async () => {
    await expectInTurn(scene.engine, [...existing, ...many(4, `${name}.example`, 'invalid mailbox_missing')]);
  });

  test('accepts everybody for a catch-all domain', async () => {
    await expectInTurn(scene.engine, everybody);
  });

  test('tells 60 missing recipients from existing ones, asked at once', async () => {
    const missing = many(60, `${name}.example`, 'invalid mailbox_missing', 'nobody-at-once');
    await expectEventually(scene.engine, [...missing, ...existing, ...everybody]);
  });
});
