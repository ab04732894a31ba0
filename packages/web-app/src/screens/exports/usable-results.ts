import type { Schema } from '../../api/client.ts';
import type { Result } from '../../design/badge.tsx';

export type JobSource = Schema['ValidationJobSource'];

/** Results of addresses that can be sent to. */
export const usableResults = ['ok', 'catch_all_validated'] as const satisfies readonly Result[];

export type RowPreset = 'usable' | 'all' | 'chosen';

/** Which of the choices stands for the results; the order in which they are named means nothing. */
export function presetOf(results: JobSource['results']): RowPreset {
  if (!results) return 'all';
  const isUsable =
    results.length === usableResults.length && usableResults.every(each => results.includes(each));
  return isUsable ? 'usable' : 'chosen';
}
