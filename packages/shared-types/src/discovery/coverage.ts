import { z } from 'zod';

/** How far the matches of a lookalike search have been fetched: stable codes, and the words that people read. */
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
        '`free_preview`: not paid yet. `fetching`: a paid run is in flight. `more_available`: a run is over and more could be fetched. `complete`: all matches were fetched. `no_matches`: nothing was returned.',
      ),
    label: z.enum(Object.values(coverageLabels) as [string, ...string[]]).describe('The status, in words.'),
    last_attempt_failed: z
      .boolean()
      .describe(
        'Whether the latest run failed. What earlier ones delivered, and its credits, are as before.',
      ),
    last_attempt_failed_at: z.iso.datetime().nullable().describe('When it failed; null when it did not.'),
  })
  .meta({ id: 'LookalikeCoverage' });

export type Coverage = z.output<typeof coverage>;
