import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { confirmedFrom, decideCatchAll } from './decide-catch-all.ts';
import type { Observation, WeighedObservation } from './observation.ts';
import { weigh } from './weigh.ts';
import { weights } from './weights.ts';

const mx = (finding: 'missing' | 'disabled' | 'full' | 'rate_limited' | 'knows_recipient'): Observation => ({
  source: 'published_mx',
  finding,
});
const key: Observation = { source: 'openpgpkey', finding: 'published' };
const outcome = (
  finding: 'delivered' | 'replied' | 'was_full' | 'bounced' | 'agreed_delivered' | 'agreed_bounced',
  ageDays: number,
): Observation => ({ source: 'outcome_history', finding, ageDays });
const pattern = (finding: 'match' | 'mismatch'): Observation => ({ source: 'local_part_pattern', finding });
const account: Observation = { source: 'webfinger', finding: 'published' };

function verdictOf(...seen: readonly Observation[]): string {
  const { result, reason } = decideCatchAll(weigh(seen, weights, weights.prior));
  return `${result} ${reason}`;
}

const wording: Observation = { source: 'differential_reply', finding: 'text_differs' };
const onTeamPage: Observation = { source: 'published_on_site', finding: 'on_team_page' };
const knownPerson: Observation = { source: 'known_person', finding: 'fits_pattern', ageDays: 0 };

describe('a hint at an address of a catch-all domain', () => {
  /** As outcomes could fit them: each hint alone takes the posterior above the bound. */
  const strong = {
    ...weights,
    sources: {
      ...weights.sources,
      published_on_site: {
        ...weights.sources.published_on_site,
        llr: { ...weights.sources.published_on_site.llr, on_team_page: 3, on_page: 3 },
      },
      known_person: {
        ...weights.sources.known_person,
        llr: { ...weights.sources.known_person.llr, fits_pattern: 3, fits_name: 3 },
      },
    },
    groupCaps: { ...weights.groupCaps, person: 3 },
  };
  const resultOf = (...seen: readonly Observation[]) =>
    decideCatchAll(weigh(seen, strong, strong.prior)).result;

  test.each<readonly [string, Observation]>([
    ['the page of a team', onTeamPage],
    ['another page', { source: 'published_on_site', finding: 'on_page' }],
    ['a known person', knownPerson],
    ['the name of a known person', { source: 'known_person', finding: 'fits_name', ageDays: 0 }],
  ])(
    'by %s does not confirm it, nor with the pattern of the domain or the wording of a reply',
    (_name, hint) => {
      expect(resultOf(hint)).toBe('catch_all');
      expect(resultOf(hint, pattern('match'))).toBe('catch_all');
      expect(resultOf(hint, wording)).toBe('catch_all');
    },
  );

  test('confirms it with another source about the same address', () => {
    expect(resultOf(onTeamPage, knownPerson)).toBe('catch_all_validated');
    expect(resultOf(onTeamPage, account)).toBe('catch_all_validated');
    expect(resultOf(knownPerson, key)).toBe('catch_all_validated');
  });
});

describe('an address of a catch-all domain', () => {
  test.each<readonly [string, readonly Observation[], string]>([
    ['without evidence', [], 'catch_all catch_all'],
    ['with a key', [key], 'catch_all_validated evidence_confirms'],
    ['known to another host', [mx('knows_recipient')], 'catch_all_validated evidence_confirms'],
    ['with an account alone', [account], 'catch_all catch_all'],
    [
      'with an account and a slightly different reply',
      [account, { source: 'differential_reply', finding: 'text_differs' }],
      'catch_all catch_all',
    ],
    [
      'with an account and another status in the reply',
      [account, { source: 'differential_reply', finding: 'status_differs' }],
      'catch_all_validated evidence_confirms',
    ],
    ['refused by another host', [mx('missing')], 'invalid mailbox_missing'],
    ['refused by another host in spite of a key', [key, mx('missing')], 'invalid mailbox_missing'],
    ['disabled', [mx('disabled')], 'invalid mailbox_disabled'],
    ['full', [mx('full')], 'unknown mailbox_full'],
    ['full, with a key', [key, mx('full')], 'unknown mailbox_full'],
    [
      'full at the host that is not published',
      [{ source: 'unpublished_tenant_host', finding: 'full' }],
      'unknown mailbox_full',
    ],
    [
      'missing at the host that is not published',
      [{ source: 'unpublished_tenant_host', finding: 'missing' }],
      'catch_all catch_all',
    ],
    ['popular', [mx('rate_limited')], 'unknown mailbox_rate_limited'],
    ['on which hosts disagree', [mx('missing'), mx('knows_recipient')], 'catch_all catch_all'],
    ['missing here and full there', [mx('missing'), mx('full')], 'catch_all catch_all'],
    [
      'with a delivery of last month against everything else',
      [outcome('delivered', 60), outcome('agreed_bounced', 90), pattern('mismatch')],
      'catch_all_validated evidence_confirms',
    ],
    ['with a reply of last month', [outcome('replied', 60)], 'catch_all_validated evidence_confirms'],
    ['with a delivery of last year', [outcome('delivered', 365)], 'catch_all catch_all'],
    [
      'with a delivery of last quarter and an account',
      [outcome('delivered', 90), account],
      'catch_all_validated evidence_confirms',
    ],
    ['that bounced last year, with a key', [outcome('bounced', 365), key], 'catch_all catch_all'],
    ['refused in spite of a delivery', [outcome('delivered', 1), mx('missing')], 'invalid mailbox_missing'],
    ['full in spite of a delivery', [outcome('delivered', 1), mx('full')], 'unknown mailbox_full'],
    ['that bounced', [outcome('bounced', 1)], 'catch_all catch_all'],
    ['that bounced, with a key', [outcome('bounced', 1), key], 'catch_all catch_all'],
    ['that others delivered to', [outcome('agreed_delivered', 30)], 'catch_all_validated evidence_confirms'],
    ['that has the domain’s pattern', [pattern('match')], 'catch_all catch_all'],
    ['that has the pattern and an account', [pattern('match'), account], 'catch_all catch_all'],
    [
      'on which hosts disagree, with a key',
      [mx('missing'), mx('knows_recipient'), key],
      'catch_all_validated evidence_confirms',
    ],
  ])('%s', (_name, seen, expected) => {
    expect(verdictOf(...seen)).toBe(expected);
  });

  test('is never confirmed without something that speaks for this very address', () => {
    const silent: fc.Arbitrary<WeighedObservation> = fc.record({
      source: fc.constantFrom('openpgpkey' as const, 'webfinger' as const),
      finding: fc.constantFrom('not_published' as const, 'published' as const),
      llr: fc.double({ min: -6, max: 6, noNaN: true }),
      addressSpecific: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(silent), fc.double({ min: 0, max: 1, noNaN: true }), (seen, posterior) => {
        const speaksForIt = seen.some(({ llr, addressSpecific }) => addressSpecific && llr > 0);
        const { result } = decideCatchAll({ observations: seen, posterior });
        expect(result === 'catch_all_validated').toBe(speaksForIt && posterior >= confirmedFrom);
      }),
    );
  });

  test('is not confirmed by a pattern, regardless of the prior', () => {
    expect(decideCatchAll(weigh([pattern('match')], weights, 0.99)).result).toBe('catch_all');
  });

  test('is not confirmed by only a high prior of the operator', () => {
    expect(decideCatchAll(weigh([], weights, 0.99)).result).toBe('catch_all');
    const nothing: Observation = { source: 'openpgpkey', finding: 'not_published' };
    expect(decideCatchAll(weigh([nothing], weights, 0.99)).result).toBe('catch_all');
  });
});
