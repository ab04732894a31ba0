import type { Schema } from '../../api/client.ts';
import type { SavedList } from '../../api/saved-lists.ts';

type Source = Schema['NewExport']['source'];

/** The rows that an address of the screen names; undefined where it names none, or a list that is not there. */
export function pushSourceOf(
  rows: string | undefined,
  lists: readonly Pick<SavedList, 'list_id' | 'kind'>[],
  onlyGood: boolean,
): Source | undefined {
  if (rows === 'saved_people' || rows === 'saved_companies') return { kind: rows };
  if (rows?.startsWith('vjob_')) {
    return {
      kind: 'validation_job',
      job_id: rows,
      without_duplicates: true,
      ...(onlyGood && { results: ['ok', 'catch_all_validated'] }),
    };
  }
  const list = lists.find(({ list_id }) => list_id === rows);
  return list && { kind: list.kind === 'people' ? 'saved_people' : 'saved_companies', list_id: list.list_id };
}
