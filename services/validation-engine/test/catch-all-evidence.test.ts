import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type Catalog,
  catalog,
  catchAllPostfix,
  type MailLab,
  postfix,
  startMailLab,
} from '@mailproof/mail-lab';
import { parseEmailAddress } from '@mailproof/shared-types';
import { composeContact, composeValidation, composeWeb } from '../src/compose/validation.ts';
import { loadValidationConfig } from '../src/config.ts';
import { evidenceSources } from '../src/domain/catch-all/sources.ts';
import { weights } from '../src/domain/catch-all/weights.ts';
import type { ValidationPorts } from '../src/domain/validation/validate-address.ts';
import { labSettings, until } from './engine-in-lab.ts';

const chapter = catalog.filter(({ domain }) =>
  /^(?:catch-all|gateway|keys-in-dns|wkd-|webfinger|web-)/.test(domain),
);
const ownDomains: Catalog = [
  {
    domain: 'redirects.example',
    story: 'A catch-all whose web servers redirect every request.',
    dns: { mx: [[10, 'mx.redirects.example']] },
    hosts: { 'mx.redirects.example': catchAllPostfix() },
    web: { 'redirects.example': { status: 302 }, 'openpgpkey.redirects.example': { status: 302 } },
    expected: [],
  },
  {
    domain: 'forwards.example',
    story: 'A catch-all that says of one recipient that it lives elsewhere.',
    dns: { mx: [[10, 'mx.forwards.example']] },
    hosts: {
      'mx.forwards.example': catchAllPostfix({
        mailboxes: { ada: '251 2.1.5 <{recipient}>: User not local; will forward' },
      }),
    },
    expected: [],
  },
  {
    domain: 'backup.example',
    story:
      'A catch-all with a second exchange that knows the people, one that has no address, and one inside.',
    dns: {
      mx: [
        [10, 'mx1.backup.example'],
        [20, 'mx2.backup.example'],
        [30, 'mx3.backup.example'],
        [40, 'mx4.backup.example'],
      ],
    },
    hosts: {
      'mx1.backup.example': catchAllPostfix(),
      'mx2.backup.example': postfix(['ada'], {
        mailboxes: {
          former: '550 5.2.1 <{recipient}>: Recipient address rejected: Account disabled',
          full: '452 4.2.2 <{recipient}>: Recipient address rejected: Mailbox full',
        },
      }),
      'mx3.backup.example': 'no_address',
      'mx4.backup.example': { address: '10.0.0.1' },
    },
    expected: [],
  },
];

let lab: MailLab;

beforeAll(async () => {
  lab = await startMailLab({ catalog: [...chapter, ...ownDomains] });
});

afterEach(() => lab.resetCounts());

afterAll(() => lab?.close());

/** Longer than a request may wait for evidence. */
const callersTimeMs = 60_000;

const configWith = (settings: Record<string, string> = {}) =>
  loadValidationConfig({
    ...labSettings(lab),
    VALIDATION_DEADLINE_MS: String(callersTimeMs),
    ...settings,
  });

async function validate(
  address: string,
  settings: Record<string, string> = {},
  signal = new AbortController().signal,
  overrides: Partial<ValidationPorts> = {},
) {
  const { validate: ask, close } = composeValidation(configWith(settings), overrides);
  const email = parseEmailAddress(address);
  if (!email.ok) {
    throw new Error(email.fault.message);
  }
  const { verdict, evidence } = await ask(email.value, callersTimeMs, signal);
  await close();
  return {
    verdict: `${verdict.result} ${verdict.reason}`,
    elapsedMs: verdict.elapsedMs,
    catchAll: evidence.catchAll,
    findings: Object.fromEntries(
      (evidence.catchAll?.observations ?? []).map(({ source, finding }) => [source, finding]),
    ),
  };
}

const nothingPublished = {
  openpgpkey: 'not_published',
  smimea: 'not_published',
  web_key_directory: 'not_published',
  webfinger: 'not_published',
};

describe('an address at a catch-all domain', () => {
  test.each(chapter.flatMap(({ expected }) => expected))('$address is $result', async expected => {
    expect((await validate(expected.address)).verdict).toBe(`${expected.result} ${expected.reason}`);
  });

  test.each<readonly [string, string, Readonly<Record<string, string>>]>([
    ['ada@keys-in-dns.example', 'catch_all_validated', { openpgpkey: 'published', smimea: 'published' }],
    ['nobody@keys-in-dns.example', 'catch_all', nothingPublished],
    ['ada@wkd-advanced.example', 'catch_all_validated', { web_key_directory: 'published' }],
    ['ada@wkd-direct.example', 'catch_all_validated', { web_key_directory: 'published' }],
    ['ada@webfinger.example', 'catch_all', { webfinger: 'published' }],
    [
      'ada@web-knows-everybody.example',
      'catch_all',
      { web_key_directory: 'published_for_everybody', webfinger: 'published_for_everybody' },
    ],
    ['ada@web-in-trouble.example', 'catch_all', { web_key_directory: 'no_answer', webfinger: 'no_answer' }],
    [
      'ada@redirects.example',
      'catch_all',
      { web_key_directory: 'not_published', webfinger: 'not_published' },
    ],
    ['ada@forwards.example', 'catch_all_validated', { differential_reply: 'code_differs' }],
    ['ada@catch-all.example', 'catch_all', { differential_reply: 'alike', ...nothingPublished }],
  ])('%s is %s by what the sources found', async (address, result, findings) => {
    const validation = await validate(address);
    expect(validation.verdict.split(' ')[0]).toBe(result);
    expect(validation.findings).toMatchObject(findings);
    expect(lab.counts().unscripted).toEqual([]);
  });

  test.each([
    ['ada', 'catch_all_validated evidence_confirms'],
    ['nobody', 'catch_all catch_all'],
    ['former', 'invalid mailbox_disabled'],
    ['full', 'unknown mailbox_full'],
  ])('is decided by another exchange: %s is %s', async (localPart, verdict) => {
    const validation = await validate(`${localPart}@backup.example`);
    expect(validation.verdict).toBe(verdict);
    expect(validation.catchAll?.attempts.map(({ host, kind }) => `${host} ${kind}`).sort()).toEqual([
      'mx2.backup.example probed',
      'mx3.backup.example no_address',
      'mx4.backup.example forbidden',
    ]);
  });

  test('comes with its evidence, the posterior and the version of the weights', async () => {
    const { catchAll } = await validate('ada@keys-in-dns.example');
    expect(catchAll).toMatchObject({
      prior: 0.74,
      posterior: expect.closeTo(0.9976, 3),
      weightsVersion: weights.version,
    });
    expect(catchAll?.observations).toContainEqual({
      source: 'openpgpkey',
      finding: 'published',
      llr: 4,
      addressSpecific: true,
    });
  });

  test('waits four seconds for a silent web server, and not for its caller’s whole time', async () => {
    const { elapsedMs } = await validate('ada@web-in-trouble.example');
    expect(elapsedMs).toBeGreaterThan(3_500);
    expect(elapsedMs).toBeLessThan(callersTimeMs / 2);
  });

  test('is given up at once when the caller goes away', async () => {
    const caller = new AbortController();
    const config = configWith();
    // The wait for a web server is longer than that for all evidence, which gets ten seconds.
    const web = composeWeb(config, composeContact(config), { requestTimeoutMs: callersTimeMs });
    const validating = validate('ada@web-in-trouble.example', {}, caller.signal, { web });
    await until(() => lab.counts().web['https://web-in-trouble.example/.well-known/webfinger'] === 1);
    caller.abort();
    const { verdict, elapsedMs } = await validating;
    expect(verdict).toBe('catch_all catch_all');
    expect(elapsedMs).toBeLessThan(10_000);
  });
});

describe('the requests for evidence', () => {
  const declared = (unit: 'smtpConnections' | 'httpsRequests') =>
    evidenceSources.reduce((sum, { cost }) => sum + cost[unit], 0);

  test('are no more than the sources declare', async () => {
    await validate('ada@web-knows-everybody.example');
    const { web, smtp } = lab.counts();
    expect(Object.values(web).reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(
      declared('httpsRequests'),
    );
    expect(smtp['mx.web-knows-everybody.example']?.connections).toBe(1);
  });

  test('are not made where the mail host knows its recipients', async () => {
    await validate('gone@catch-all-except.example');
    const { web, dns } = lab.counts();
    expect(web).toEqual({});
    expect(Object.keys(dns.byName).filter(name => name.includes('_openpgpkey'))).toEqual([]);
  });

  test('trust only the authorities that they are told to trust', async () => {
    const validation = await validate('ada@wkd-advanced.example', { VALIDATION_CA_FILE: '' });
    expect(validation).toMatchObject({
      verdict: 'catch_all catch_all',
      findings: { web_key_directory: 'no_answer' },
    });
    expect(lab.counts().web).toEqual({});
  });

  test('go to no source that the operator leaves out', async () => {
    const settings = { VALIDATION_EVIDENCE_SOURCES: 'openpgpkey' };
    expect(await validate('ada@wkd-advanced.example', settings)).toMatchObject({
      verdict: 'catch_all catch_all',
      findings: { openpgpkey: 'not_published' },
    });
    expect(lab.counts().web).toEqual({});
    const none = await validate('ada@keys-in-dns.example', { VALIDATION_EVIDENCE_SOURCES: 'none' });
    expect(none).toMatchObject({ verdict: 'catch_all catch_all', findings: {} });
  });
});
