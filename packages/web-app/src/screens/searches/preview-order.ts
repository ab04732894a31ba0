import type { Schema } from '../../api/client.ts';

type Found = Schema['PreviewedPerson'] | Schema['FoundCompany'];

/**
 * The orders of a preview. Companies cannot be sorted by size, which is shown only once it is paid for: their order
 * would give it away.
 */
export const previewOrders = {
  people: ['found', 'name', 'job_title', 'company', 'industry'],
  companies: ['found', 'name', 'industry'],
} as const;

export type PreviewOrder = (typeof previewOrders)[keyof typeof previewOrders][number];

export const previewOrderNames: Readonly<Record<PreviewOrder, string>> = {
  found: 'Order of the search',
  name: 'Name',
  job_title: 'Job title',
  company: 'Company',
  industry: 'Industry',
};

/** Sorts people or companies alphabetically, unknown values last; those with the same value keep their order. */
export function inOrder<Each extends Found>(found: readonly Each[], order: PreviewOrder): readonly Each[] {
  if (order === 'found') return found;
  return found.toSorted((one, other) => {
    const [first, second] = [keyOf(one, order), keyOf(other, order)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return first.localeCompare(second, 'en');
  });
}

function keyOf(found: Found, order: Exclude<PreviewOrder, 'found'>): string | null {
  if (order === 'industry') return found.industry;
  if ('person_id' in found) {
    return order === 'company' ? (found.company.name ?? found.company.domain) : found[order];
  }
  return found.company.name;
}
