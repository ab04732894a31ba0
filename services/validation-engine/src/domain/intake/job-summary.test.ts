import { describe, expect, it } from '@jest/globals';
import { limits } from '@mailproof/shared-types';
import { type RowGroup, summaryOf } from './job-summary.ts';

const nothing = { ok: 0, catch_all_validated: 0, catch_all: 0, invalid: 0, unknown: 0 };

describe('a job in numbers', () => {
  it('names the providers with the most rows, counts the rest together, and puts unknown ones last', () => {
    const groups: RowGroup[] = [{ by: 'provider', provider: null, result: 'invalid', rows: 1_000 }];
    for (let at = 1; at <= limits.summaryProvidersMax + 2; at += 1) {
      groups.push({ by: 'provider', provider: `p${at}`, result: 'ok', rows: at * 10 });
      groups.push({ by: 'provider', provider: `p${at}`, result: 'unknown', rows: 1 });
    }
    const { providers, other_providers } = summaryOf(groups);
    expect(providers.map(({ provider }) => provider)).toEqual([
      ...Array.from(
        { length: limits.summaryProvidersMax },
        (_, at) => `p${limits.summaryProvidersMax + 2 - at}`,
      ),
      null,
    ]);
    expect(providers[0]).toEqual({
      provider: 'p14',
      rows: 141,
      results: { ...nothing, ok: 140, unknown: 1 },
    });
    expect(other_providers).toEqual({ providers: 2, rows: 32, results: { ...nothing, ok: 30, unknown: 2 } });
  });

  it('adds up each named domain, and counts the others', () => {
    const group = (domain: string | null, result: 'ok' | 'invalid', rows: number): RowGroup => ({
      ...{ by: 'domain', domain, domains: 40, result, rows },
    });
    const { domains, other_domains } = summaryOf([
      group('few.example', 'ok', 2),
      group(null, 'invalid', 90),
      group('most.example', 'ok', 3),
      group('most.example', 'invalid', 4),
      group(null, 'ok', 5),
    ]);
    expect(domains).toEqual([
      { domain: 'most.example', rows: 7, results: { ...nothing, ok: 3, invalid: 4 } },
      { domain: 'few.example', rows: 2, results: { ...nothing, ok: 2 } },
    ]);
    expect(other_domains).toEqual({ domains: 38, rows: 95, results: { ...nothing, ok: 5, invalid: 90 } });
  });

  it('says nothing of others where all are named, and sorts kinds and reasons', () => {
    expect(
      summaryOf([
        { by: 'provider', provider: 'one', result: 'ok', rows: 3 },
        { by: 'emailType', emailType: 'business', rows: 1 },
        { by: 'emailType', emailType: null, rows: 2 },
        { by: 'reason', result: 'ok', reason: 'mailbox_exists', rows: 1 },
        { by: 'reason', result: 'invalid', reason: 'syntax', rows: 2 },
      ]),
    ).toEqual({
      providers: [{ provider: 'one', rows: 3, results: { ...nothing, ok: 3 } }],
      other_providers: null,
      domains: [],
      other_domains: null,
      email_types: [
        { email_type: null, rows: 2 },
        { email_type: 'business', rows: 1 },
      ],
      reasons: [
        { result: 'invalid', reason: 'syntax', rows: 2 },
        { result: 'ok', reason: 'mailbox_exists', rows: 1 },
      ],
    });
  });

  it('is empty as long as nothing is known', () => {
    expect(summaryOf([])).toEqual({
      providers: [],
      other_providers: null,
      domains: [],
      other_domains: null,
      email_types: [],
      reasons: [],
    });
  });
});
