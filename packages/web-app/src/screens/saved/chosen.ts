import { limits } from '@mailproof/shared-types';
import type { Schema } from '../../api/client.ts';
import { type Selection, selectedCount } from '../../design/selection.tsx';

/** The selected records: by their ids, or by the filters that they match. */
export interface Chosen {
  readonly ids: readonly string[];
  /** Present if every record that matches is selected. */
  readonly matching: Schema['SavedPeopleMatching'] | undefined;
  readonly count: number;
}

export function chosenOf(
  selection: Selection,
  total: number | undefined,
  matching: Schema['SavedPeopleMatching'],
): Chosen {
  return {
    ids: [...selection.ids],
    matching: selection.isAll ? matching : undefined,
    count: selectedCount(selection, total),
  };
}

type Part = { readonly ids: string[] } | { readonly matching: Schema['SavedPeopleMatching'] };

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

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}
