import { z } from 'zod';

/** How many of a lookalike search's matches have been fetched: stable codes with their display names. */
export const coverageLabels = {
  free_preview: 'Free Preview',
  fetching: 'Fetching',
  more_available: 'More available',
  complete: 'Complete',
  no_matches: 'No matches',
} as const;

export type CoverageStatus = keyof typeof coverageLabels;

export const coverageStatuses = Object.keys(coverageLabels) as [CoverageStatus, ...CoverageStatus[]];

export const coverage = z
  .object({
    status: z
      .enum(coverageStatuses)
      .describe(
        '`free_preview`: no paid run yet. `fetching`: a paid run is in progress. `more_available`: a run has ended and more matches can be fetched. `complete`: all matches were fetched. `no_matches`: nothing matches.',
      ),
    label: z
      .enum(Object.values(coverageLabels) as [string, ...string[]])
      .describe('Display text of the status.'),
    last_attempt_failed: z
      .boolean()
      .describe('Whether the latest run failed. Results and charges of earlier runs are unaffected.'),
    last_attempt_failed_at: z.iso.datetime().nullable().describe('When it failed; null if it did not.'),
  })
  .meta({ id: 'LookalikeCoverage' });

export type Coverage = z.output<typeof coverage>;
