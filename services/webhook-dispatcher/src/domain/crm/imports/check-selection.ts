import { type CrmObject, type CrmProperty, type CrmProvider, objectsOfCrm } from '@mailproof/shared-types';
import { propertyIssue } from '../push/mapping-faults.ts';
import type { ImportRequest } from './crm-import.ts';

/** What is wrong with a request, where in its body, and in a sentence. */
export interface SelectionFault {
  readonly pointer: string;
  readonly detail: string;
}

export function checkObject(provider: CrmProvider, object: CrmObject): SelectionFault[] {
  return objectsOfCrm[provider].includes(object)
    ? []
    : [
        {
          pointer: '/object',
          detail: `This CRM has ${objectsOfCrm[provider].join(', ')}, and no ${object}.`,
        },
      ];
}

/** Looks every property up that a request names, and whether what is written back can be written. */
export function checkSelection(
  { properties, address_property, selection, write_back }: ImportRequest,
  known: readonly CrmProperty[],
): SelectionFault[] {
  const byName = new Map(known.map(property => [property.name, property]));
  const unknown = (name: string, pointer: string): SelectionFault[] =>
    byName.has(name) ? [] : [{ pointer, detail: `There is no property “${name}”.` }];
  return [
    ...properties.flatMap((name, at) => unknown(name, `/properties/${at}`)),
    ...unknown(address_property, '/address_property'),
    ...(selection.filters ?? []).flatMap(({ property }, at) =>
      unknown(property, `/selection/filters/${at}/property`),
    ),
    // As the export that writes results back will be judged.
    ...(write_back?.fields ?? []).flatMap(({ property }, at) =>
      propertyIssue(byName.get(property), property).map(detail => ({
        pointer: `/write_back/fields/${at}/property`,
        detail,
      })),
    ),
  ];
}
