import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { catchAllPostfix, type MailLab, postfix, startMailLab } from '@mailproof/mail-lab';
import { accountId, labSettings, startEngine, type TestEngine, until } from './engine-in-lab.ts';

let lab: MailLab;
let engine: TestEngine;

beforeAll(async () => {
  lab = await startMailLab({
    catalog: [
      {
        domain: 'ordinary.example',
        story: 'Knows its people.',
        dns: { mx: [[10, 'mx.ordinary.example']] },
        hosts: { 'mx.ordinary.example': postfix(['ada']) },
        expected: [],
      },
      {
        domain: 'silent.example',
        story: 'Never says a word.',
        dns: { mx: [[10, 'mx.silent.example']] },
        hosts: { 'mx.silent.example': { ...catchAllPostfix(), silentAfter: 'connect' } },
        expected: [],
      },
      {
        domain: 'silent-names.example',
        story: 'Has name servers that never answer.',
        dns: 'silent',
        expected: [],
      },
    ],
  });
  engine = await startEngine({ ...labSettings(lab), VALIDATION_IN_FLIGHT_MAX: '2' });
});

afterAll(async () => {
  await engine?.stop();
  await lab?.close();
});

const body = { accountId, email: 'ada@ordinary.example', deadlineMs: 60_000 };

describe('validate-address', () => {
  test('answers the verdict', async () => {
    const response = await engine.post(body);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      result: 'ok',
      reason: 'mailbox_exists',
      mxHost: 'mx.ordinary.example',
      mxDomain: 'ordinary.example',
      secureEmailGateway: false,
      emailType: 'business',
      elapsedMs: expect.any(Number),
      details: expect.objectContaining({
        reason: 'mailbox_exists',
        normalised_email: 'ada@ordinary.example',
        mx_host: 'mx.ordinary.example',
        role: false,
        disposable: false,
        age_seconds: 0,
        sessions: [expect.objectContaining({ host: 'mx.ordinary.example' })],
      }),
    });
  });

  test.each([
    ['no token', 'nobody', 401, 'invalid_service_token'],
    ['a service that is no caller', 'credit-ledger', 403, 'caller_not_allowed'],
  ] as const)('refuses %s', async (_name, caller, status, code) => {
    const response = await engine.post(body, caller);
    expect([response.status, response.body.code]).toEqual([status, code]);
  });

  test.each([
    ['an address that is none', { ...body, email: 'ada' }, 'invalid_email_address'],
    ['no account', { ...body, accountId: undefined }, 'invalid_request'],
    ['no address', { accountId, deadlineMs: 60_000 }, 'invalid_request'],
    ['a deadline out of bounds', { ...body, deadlineMs: 1 }, 'invalid_request'],
    ['an unknown member', { ...body, more: true }, 'invalid_request'],
  ])('refuses %s', async (_name, wrong, code) => {
    const response = await engine.post(wrong);
    expect([response.status, response.body.code]).toEqual([400, code]);
  });

  test('cuts the caller’s time to the operator’s', async () => {
    const hasty = await startEngine({ ...labSettings(lab), VALIDATION_DEADLINE_MS: '4000' });
    try {
      const verdict = await hasty.validate('ada@silent.example', 120_000);
      expect(verdict).toMatchObject({ result: 'unknown', reason: 'session_timeout' });
      // Without the deadline, a session waits twenty seconds for a greeting.
      expect(verdict.elapsedMs).toBeLessThan(15_000);
    } finally {
      await hasty.stop();
    }
  });

  test('answers in time where name servers are silent', async () => {
    const verdict = await engine.validate('ada@silent-names.example', 1_000);
    expect(verdict).toMatchObject({ result: 'unknown', reason: 'dns_timeout' });
    // Without the deadline, the lookup would try three times, for two seconds each.
    expect(verdict.elapsedMs).toBeLessThan(5_900);
  });

  test('turns away what is more than it can carry, and recovers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        engine.post({ ...body, email: 'ada@silent.example', deadlineMs: 5_000 }),
      ),
    );
    const turnedAway = answers.filter(({ status }) => status === 503);
    expect(turnedAway).toHaveLength(3);
    expect(turnedAway[0]?.body).toMatchObject({ code: 'service_unavailable' });
    expect(turnedAway[0]?.headers['retry-after']).toBe('1');
    expect((await engine.post(body)).status).toBe(200);
  });

  test('hangs up at once when its caller goes away', async () => {
    lab.resetCounts();
    const sessionsOpen = () => lab.counts().smtp['mx.silent.example']?.sessionsOpen ?? 0;
    const caller = new AbortController();
    const startedAtMs = performance.now();
    const asked = engine.askUntil({ ...body, email: 'ada@silent.example' }, caller.signal);
    await until(() => sessionsOpen() === 1);
    caller.abort();
    await expect(asked).rejects.toThrow();
    await until(() => sessionsOpen() === 0);
    // Without the cancellation, the session would wait twenty seconds for a greeting.
    expect(performance.now() - startedAtMs).toBeLessThan(19_000);
  });

  test.each([
    ['10.0.0.1', 'ada@[10.0.0.1]'],
    ['loopback', 'ada@[127.0.0.1]'],
    ['IPv6 loopback', 'ada@[IPv6:::1]'],
    ['a mapped address', 'ada@[IPv6:::ffff:127.0.0.1]'],
  ])('does not contact %s for an address literal', async (_name, email) => {
    expect(await engine.validate(email)).toMatchObject({ result: 'unknown', reason: 'forbidden_address' });
  });
});
