import type { Schema } from '../../api/client.ts';

type Person = Schema['PreviewedPerson'];

export const previewOrders = ['found', 'name', 'job_title', 'company'] as const;

export type PreviewOrder = (typeof previewOrders)[number];

export const previewOrderNames: Readonly<Record<PreviewOrder, string>> = {
  found: 'Order of the search',
  name: 'Name',
  job_title: 'Job title',
  company: 'Company',
};

/** Sorts people alphabetically, unknown values last; people with the same value keep their order. */
export function inOrder(people: readonly Person[], order: PreviewOrder): readonly Person[] {
  if (order === 'found') return people;
  const keyOf = (person: Person) =>
    order === 'company' ? (person.company.name ?? person.company.domain) : person[order];
  return people.toSorted((one, other) => {
    const [first, second] = [keyOf(one), keyOf(other)];
    if (first === null || second === null) return Number(first === null) - Number(second === null);
    return first.localeCompare(second, 'en');
  });
}
