import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { benchmarkCatalog } from './benchmark-catalog.ts';
import { catalog } from './catalog.ts';
import { catalogFaults } from './catalog-faults.ts';
import { catalogAsMarkdown } from './catalog-text.ts';
import type { DomainScript } from './script.ts';

const reasons = new Set([
  'mailbox_exists',
  'mailbox_missing',
  'mailbox_disabled',
  'mailbox_full',
  'catch_all',
  'evidence_confirms',
  'no_mail_host',
  'domain_missing',
  'dns_timeout',
  'dns_failure',
  'connection_failed',
  'session_timeout',
  'blocked',
  'greylisted',
  'temporary_failure',
  'forbidden_address',
  'protocol_error',
  'smtputf8_unsupported',
  'policy',
  'probe_inconclusive',
]);

describe('the catalog', () => {
  it('does not contradict itself', () => {
    expect(catalogFaults(catalog)).toEqual([]);
  });

  it('expects something of every domain, in the words the validator uses', () => {
    const words = catalog.flatMap(({ domain, expected }) =>
      expected.length === 0 ? [domain] : expected.map(({ reason }) => reason),
    );
    expect(words.filter(word => !reasons.has(word))).toEqual([]);
    expect(new Set(words)).toEqual(reasons);
  });

  it('is what CATALOG.md says', () => {
    const page = readFileSync(new URL('../CATALOG.md', import.meta.url), 'utf8');
    // When this fails, run `node src/write-catalog.ts`.
    expect(page).toBe(catalogAsMarkdown());
  });
});

describe('catalog faults', () => {
  const sound: DomainScript = { domain: 'a.example', story: '', dns: {}, expected: [] };

  it.each<[string, DomainScript[]]>([
    ['a.example is scripted twice.', [sound, sound]],
    [
      'a.example has MX mx.b.example, which has no script.',
      [{ ...sound, dns: { mx: [[1, 'mx.b.example']] } }],
    ],
    [
      'a.example is a CNAME of b.example, which is not scripted.',
      [{ ...sound, dns: { cname: 'b.example' } }],
    ],
    [
      'Host mx.a.example is the exchange of no domain.',
      [{ ...sound, hosts: { 'mx.a.example': 'no_address' } }],
    ],
    [
      'ada@b.example does not belong to a.example.',
      [{ ...sound, expected: [{ address: 'ada@b.example', result: 'ok', reason: 'mailbox_exists' }] }],
    ],
    [
      'Host a.example has a malformed reply: 550-one / 551 two',
      [{ ...sound, hosts: { 'a.example': { mailboxes: {}, otherRecipients: ['550-one', '551 two'] } } }],
    ],
    [
      'a.example answers servfail and has hosts that cannot be resolved.',
      [{ ...sound, dns: 'servfail', web: { 'a.example': {} } }],
    ],
  ])('include: %s', (fault, broken) => {
    expect(catalogFaults(broken)).toContain(fault);
  });
});

describe('a benchmark catalog', () => {
  const options = { domains: 300, addresses: 5_000, seed: 42 };

  it('is the same for the same seed and another for another', () => {
    const once = JSON.stringify(benchmarkCatalog(options));
    expect(JSON.stringify(benchmarkCatalog(options))).toBe(once);
    expect(JSON.stringify(benchmarkCatalog({ ...options, seed: 43 }))).not.toBe(once);
  });

  it('is sound, heavy-tailed, and a third of it is catch-all', () => {
    const made = benchmarkCatalog(options);
    expect(catalogFaults(made)).toEqual([]);
    const sizes = made.map(({ expected }) => expected.length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(5_000);
    expect(sizes[0]).toBeGreaterThan(50 * (sizes.at(-1) ?? 0));
    const catchAlls = made.filter(({ expected }) => expected[0]?.result === 'catch_all').length;
    expect(catchAlls / made.length).toBeGreaterThan(0.25);
    expect(catchAlls / made.length).toBeLessThan(0.42);
  });
});
