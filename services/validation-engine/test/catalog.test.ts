import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { catalog, type MailLab, startMailLab } from '@mailproof/mail-lab';
import type { Verdict } from '@mailproof/shared-types';
import { labSettings, startEngine, type TestEngine, until } from './engine-in-lab.ts';

/** For hosts that do not answer, which every validation waits for. */
const deadlineMs = 12_000;
/** The deadline of a single validation, for hosts that answer: on a busy machine they take long. */
const patientDeadlineMs = 25_000;

let lab: MailLab;
let engine: TestEngine;
const verdicts = new Map<string, Verdict>();

beforeAll(async () => {
  lab = await startMailLab();
  engine = await startEngine(labSettings(lab));
  // Some domains run concurrently, few enough for a busy machine, and the addresses of one domain in turn: some hosts
  // accept one session at a time.
  const domains = catalog.values();
  await Promise.all(
    Array.from({ length: 24 }, async () => {
      for (const { expected } of domains) {
        for (const { address, result } of expected) {
          const ms = result === 'unknown' ? deadlineMs : patientDeadlineMs;
          verdicts.set(address, await engine.validate(address, ms));
        }
      }
    }),
  );
}, 300_000);

afterAll(async () => {
  await engine?.stop();
  await lab?.close();
});

const expectations = catalog.flatMap(({ expected }) => expected);

describe('against every scripted domain', () => {
  test.each(expectations)('$address is $result, $reason', ({ address, result, reason }) => {
    expect(verdicts.get(address)).toMatchObject({ result, reason });
  });

  test('responds by the deadline even if a host is silent', () => {
    // Without the deadline, a session waits twenty seconds for a greeting and forty for an answer.
    const silent = expectations.filter(({ result }) => result === 'unknown');
    const late = silent.filter(({ address }) => (verdicts.get(address)?.elapsedMs ?? 0) >= 18_000);
    expect(silent.length).toBeGreaterThan(10);
    expect(late).toEqual([]);
  });

  test('asks nothing that the lab does not script', () => {
    expect(lab.counts().unscripted).toEqual([]);
  });

  test('never breaks the manners of SMTP', () => {
    const violations = Object.entries(lab.counts().smtp).flatMap(([host, counts]) =>
      counts.violations.map(violation => `${host}: ${violation}`),
    );
    expect(violations).toEqual([]);
  });

  test('never sends DATA, and takes leave of hosts that listen', async () => {
    // On a busy machine, its last session may still wait for further questions.
    await until(() => lab.counts().smtp['mx.ordinary.example']?.sessionsOpen === 0);
    const { smtp } = lab.counts();
    const verbs = new Set(Object.values(smtp).flatMap(({ commands }) => Object.keys(commands)));
    expect([...verbs].sort()).toEqual(['EHLO', 'HELO', 'MAIL', 'QUIT', 'RCPT', 'RSET', 'STARTTLS']);
    const ordinary = smtp['mx.ordinary.example'];
    expect(ordinary?.commands['QUIT']).toBe(ordinary?.connections);
  });

  test('asks no made-up recipient where the real one was refused', async () => {
    lab.resetCounts();
    await engine.validate('nobody@ordinary.example');
    // The recipient, and one that the host has accepted before, to know that it still does.
    expect(lab.counts().smtp['mx.ordinary.example']).toMatchObject({ connections: 1, recipientsAsked: 2 });
  });

  test('leaves no session open', async () => {
    // A session waits five seconds for further questions.
    await until(() => Object.values(lab.counts().smtp).every(({ sessionsOpen }) => sessionsOpen === 0));
  });
});

describe('the answer', () => {
  test.each([
    ['gateway-microsoft365.example', 'proofpoint', { id: 'microsoft_365', inferred_from: 'spf' }],
    ['gateway-google.example', 'mimecast', { id: 'google_workspace', inferred_from: 'mx' }],
    ['ironport.example', 'cisco', undefined],
    ['google-workspace.example', 'google_workspace', undefined],
  ])('tells who keeps the mailboxes of %s behind %s', (domain, mxProvider, mailboxProvider) => {
    const verdict = verdicts.get(`ada@${domain}`);
    expect(verdict?.mxProvider).toBe(mxProvider);
    expect(verdict?.details.mailbox_provider).toEqual(mailboxProvider);
  });

  test('names the provider and its registrable domain', () => {
    expect(verdicts.get('ada@google-workspace.example')).toMatchObject({
      mxHost: 'aspmx.l.google.com',
      mxDomain: 'google.com',
      mxProvider: 'google_workspace',
      secureEmailGateway: false,
      emailType: 'business',
    });
    expect(verdicts.get('ada.lovelace@gmail.com')).toMatchObject({
      mxProvider: 'gmail',
      emailType: 'personal',
    });
    expect(verdicts.get('ada@microsoft365.example')).toMatchObject({ mxProvider: 'microsoft_365' });
    expect(verdicts.get('ada.lovelace@outlook.com')).toMatchObject({ mxProvider: 'outlook_com' });
  });

  test('names a secure email gateway', () => {
    expect(verdicts.get('ada@mimecast.example')).toMatchObject({
      mxProvider: 'mimecast',
      secureEmailGateway: true,
    });
    expect(verdicts.get('ada@gateway.example')).toMatchObject({
      mxProvider: 'proofpoint',
      secureEmailGateway: true,
    });
  });

  test.each([
    ['ada@barracuda-region.example', 'barracuda', 'gateway'],
    ['ada@trendmicro-region.example', 'trend_micro', 'gateway'],
    ['ada@agency.example', 'microsoft_365', 'mailbox_host'],
    ['info@forwarded.example', 'namecheap_forwarding', 'forwarder'],
  ])('tells of %s that %s is a %s', (address, mxProvider, kind) => {
    const verdict = verdicts.get(address);
    expect([verdict?.mxProvider, verdict?.details.mx_kind]).toEqual([mxProvider, kind]);
    expect(verdict?.secureEmailGateway).toBe(kind === 'gateway');
  });

  test('leaves the provider out for a self-hosted domain', () => {
    const verdict = verdicts.get('ada@ordinary.example');
    expect(verdict).toMatchObject({ mxDomain: 'ordinary.example', secureEmailGateway: false });
    expect(verdict).not.toHaveProperty('mxProvider');
  });

  test('names the hosts of equal preference that disagree, and asks all of them', () => {
    const verdict = verdicts.get('grace@equal-lists.example');
    expect(verdict?.details.explanation).toContain(
      'mx1.equal-lists.example (ok, mailbox_exists), mx2.equal-lists.example (invalid, mailbox_missing)',
    );
    expect(verdict?.details.sessions.map(({ host }) => host).sort()).toEqual([
      'mx1.equal-lists.example',
      'mx2.equal-lists.example',
    ]);
    expect(verdicts.get('ada@equal-hosts.example')?.details.explanation).not.toContain('equal preference');
  });

  test('tells the kinds of domain apart', () => {
    expect(verdicts.get('ada@stanford.edu')).toMatchObject({ emailType: 'education' });
    expect(verdicts.get('ada@mailinator.com')).toMatchObject({ emailType: 'disposable' });
  });

  test('names no mail host if there is none', () => {
    expect(verdicts.get('ada@nxdomain.example')).not.toHaveProperty('mxHost');
    expect(verdicts.get('ada@null-mx.example')).not.toHaveProperty('secureEmailGateway');
  });
});
