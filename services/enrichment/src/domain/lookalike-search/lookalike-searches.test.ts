import { describe, expect, it } from '@jest/globals';
import type { CoverageStatus } from '@mailproof/shared-types';
import { type CoverageFacts, coverageOf } from './lookalike-searches.ts';

const failedAt = new Date('2026-03-02T09:30:00.000Z');

const fresh: CoverageFacts = {
  isFetching: false,
  delivered: 0,
  hasEndedRun: false,
  hasMore: null,
  previewMatches: 40,
  lastAttemptFailedAt: null,
};

const table: readonly (readonly [string, Partial<CoverageFacts>, CoverageStatus])[] = [
  ['a new search', {}, 'free_preview'],
  ['a new search without a preview', { previewMatches: null }, 'free_preview'],
  ['a new search without matches', { previewMatches: 0 }, 'no_matches'],
  ['the first run', { isFetching: true }, 'fetching'],
  ['the first run, after it delivered', { isFetching: true, delivered: 10 }, 'fetching'],
  ['a further run of a complete search', { isFetching: true, delivered: 40, hasMore: false }, 'fetching'],
  ['a further run after one without matches', { isFetching: true, previewMatches: 0 }, 'fetching'],
  ['a run that left matches', { delivered: 10, hasEndedRun: true, hasMore: true }, 'more_available'],
  ['a run that left none', { delivered: 40, hasEndedRun: true, hasMore: false }, 'complete'],
  ['a run that found nothing', { hasEndedRun: true, hasMore: false, previewMatches: 40 }, 'no_matches'],
  ['a run that was cancelled at once', { hasEndedRun: true, hasMore: true }, 'free_preview'],
  ['a run that was cancelled half-way', { delivered: 5, hasEndedRun: true, hasMore: true }, 'more_available'],
  ['a first run that failed at once', { lastAttemptFailedAt: failedAt }, 'free_preview'],
  ['a first run that failed half-way', { delivered: 5, lastAttemptFailedAt: failedAt }, 'more_available'],
];

describe('the coverage of a lookalike search', () => {
  it.each(table)('of %s', (_what, facts, status) => {
    expect(coverageOf({ ...fresh, ...facts }).status).toBe(status);
  });

  it('says the status in the words of the contract', () => {
    const labels = table.map(([, facts]) => {
      const { status, label } = coverageOf({ ...fresh, ...facts });
      return [status, label];
    });
    expect(Object.fromEntries(labels)).toEqual({
      free_preview: 'Free Preview',
      fetching: 'Fetching',
      more_available: 'More available',
      complete: 'Complete',
      no_matches: 'No matches',
    });
  });

  it('keeps its status when another attempt fails, with a note next to it, regardless of what came before', () => {
    for (const delivered of [0, 1, 40]) {
      for (const hasEndedRun of [true, false]) {
        for (const hasMore of [true, false, null]) {
          for (const previewMatches of [0, 40, null]) {
            const before = { ...fresh, delivered, hasEndedRun, hasMore, previewMatches };
            const { status, label } = coverageOf(before);
            expect(coverageOf({ ...before, lastAttemptFailedAt: failedAt })).toEqual({
              status,
              label,
              last_attempt_failed: true,
              last_attempt_failed_at: failedAt.toISOString(),
            });
          }
        }
      }
    }
  });

  it('has no note while the next attempt is running', () => {
    const facts = { ...fresh, isFetching: true, delivered: 5, lastAttemptFailedAt: failedAt };
    expect(coverageOf(facts)).toEqual({
      status: 'fetching',
      label: 'Fetching',
      last_attempt_failed: false,
      last_attempt_failed_at: null,
    });
  });
});
