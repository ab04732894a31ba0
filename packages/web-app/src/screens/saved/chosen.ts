import { limits } from '@mailproof/shared-types';
import { useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import type { SavedList } from '../../api/shared-queries.ts';
import { type Selection, selectedCount } from '../../design/selection.tsx';

/** The selected records: by their ids, or by the filters that they match. */
export interface Chosen {
  readonly ids: readonly string[];
  /** Present if every record that matches is selected. */
  readonly matching: Schema['SavedMatching'] | undefined;
  readonly count: number;
}

export function chosenOf(
  selection: Selection,
  total: number | undefined,
  matching: Schema['SavedMatching'],
): Chosen {
  return {
    ids: [...selection.ids],
    matching: selection.isAll ? matching : undefined,
    count: selectedCount(selection, total),
  };
}

type Part = { readonly ids: string[] } | { readonly matching: Schema['SavedMatching'] };

/** Sends a request for each part of the selected records, because a request has a limit, and returns the answers. */
export async function forEachPart<Answer extends { readonly more: boolean }>(
  { ids, matching }: Chosen,
  send: (part: Part) => Promise<{ readonly data?: Answer | undefined }>,
): Promise<Answer[]> {
  const answers: Answer[] = [];
  const parts: Part[] = matching ? [{ matching }] : batchesOf(ids);
  for (let part = parts.shift(); part; part = parts.shift()) {
    const { data } = await send(part);
    if (!data) throw new Error('The answer is missing.');
    answers.push(data);
    if (data.more) parts.unshift(part);
  }
  return answers;
}

function batchesOf(ids: readonly string[]): Part[] {
  const size = limits.savedIdsPerRequestMax;
  return Array.from({ length: Math.ceil(ids.length / size) }, (_, index) => ({
    ids: ids.slice(index * size, (index + 1) * size),
  }));
}

/** Adds the selected records to a list, and returns how many were not on it before. */
export async function fillList({ list_id }: Pick<SavedList, 'list_id'>, chosen: Chosen): Promise<number> {
  const answers = await forEachPart(chosen, body =>
    api.POST('/saved-lists/{list_id}/entries', { params: { path: { list_id } }, body }),
  );
  return sumOf(answers.map(({ added }) => added));
}

/**
 * Returns a function that creates a list. It returns the same list again for the same name, so that a retry after a
 * failure to fill it does not create another one. If `only` is given, the list is for these records alone: for others,
 * the name is refused as taken.
 */
export function useMadeList(kind: SavedList['kind']): (name: string, only?: Chosen) => Promise<SavedList> {
  const [made, setMade] = useState<{ readonly list: SavedList; readonly of: string }>();
  return async (name, only) => {
    const of = JSON.stringify([name, only?.ids, only?.matching]);
    if (made?.of === of) return made.list;
    const { data: list } = await api.POST('/saved-lists', { body: { kind, name, tags: [] } });
    if (!list) throw new Error('The list was not created.');
    setMade({ list, of });
    return list;
  };
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
