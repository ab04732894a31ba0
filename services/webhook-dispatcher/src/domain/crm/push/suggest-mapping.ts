import type {
  CrmFieldMapping,
  CrmObject,
  CrmProperty,
  ExportedValue,
  ExportSource,
} from '@mailproof/shared-types';
import { isOwnKey, requiredOf } from './mapping-faults.ts';
import { meaningOf, wholeNames, wordsOf } from './property-aliases.ts';
import { propertyValueOf } from './property-value.ts';

/** A column of a source with what its first rows say. */
export interface SampledColumn {
  readonly column: string;
  readonly samples: readonly ExportedValue[];
}

export interface SuggestedField {
  readonly field: CrmFieldMapping;
  readonly property: CrmProperty;
  readonly samples: readonly ExportedValue[];
}

export interface MappingSuggestion {
  readonly fields: readonly SuggestedField[];
  readonly unmatched: readonly SampledColumn[];
  readonly missing: readonly CrmProperty[];
}

/** How well a column fits a property; the larger the better. */
const fits = { sameName: 4, sameLabel: 3, sameMeaning: 2, wholeName: 1, none: 0 } as const;

/** Columns of ours that say something new at each validation. */
const verdictColumns: readonly string[] = [
  'result_status',
  'valid',
  'mx_domain',
  'mx_provider',
  'email_type',
];

/**
 * Which column fills which property: by the same name or label however it is written, then by what names mean, where what
 * the rows say fits the type. A property gets one column and a column one property, the best fits first.
 */
export function suggestMapping({
  columns,
  properties,
  source,
  object,
}: {
  readonly columns: readonly SampledColumn[];
  readonly properties: readonly CrmProperty[];
  readonly source: ExportSource;
  readonly object: CrmObject;
}): MappingSuggestion {
  const writable = properties.filter(each => each.is_writable && each.type !== 'other' && !isOwnKey(each));
  const offered = columns.filter(({ column }) => isAboutObject(column, source, object));
  const candidates = offered
    .flatMap(column => writable.map(property => ({ column, property, fit: fitOf(column, property, object) })))
    .filter(({ fit }) => fit > fits.none)
    // Sorting keeps the order of what is equal: columns as they stand, properties as the CRM lists them.
    .sort((a, b) => b.fit - a.fit);
  const byColumn = new Map<string, SuggestedField>();
  const taken = new Set<string>();
  for (const { column, property } of candidates) {
    if (!byColumn.has(column.column) && !taken.has(property.name)) {
      taken.add(property.name);
      byColumn.set(column.column, {
        field: { column: column.column, property: property.name, policy: policyOf(column.column) },
        property,
        samples: column.samples,
      });
    }
  }
  return {
    fields: columns.flatMap(({ column }) => byColumn.get(column) ?? []),
    unmatched: columns.filter(({ column }) => !byColumn.has(column)),
    missing: requiredOf(properties).filter(({ name }) => !taken.has(name)),
  };
}

/** Of people whose companies are pushed, only what is said of the company. */
function isAboutObject(column: string, { kind }: ExportSource, object: CrmObject): boolean {
  return (
    kind !== 'saved_people' ||
    object !== 'company' ||
    /^(?:company_|industry$|annual_revenue|revenue$)/.test(column)
  );
}

function fitOf({ column, samples }: SampledColumn, property: CrmProperty, object: CrmObject): number {
  const fit = nameFit(column, property, object);
  return fit > fits.none && canHold(property, samples) ? fit : fits.none;
}

function nameFit(column: string, { name, label }: CrmProperty, object: CrmObject): number {
  const words = wordsOf(column);
  if (words === '') {
    return fits.none;
  }
  if (words === wordsOf(name)) {
    return fits.sameName;
  }
  if (words === wordsOf(label)) {
    return fits.sameLabel;
  }
  const meaning = meaningOf(column, object);
  return meaning !== undefined &&
    (meaning === meaningOf(name, object) || meaning === meaningOf(label, object))
    ? fits.sameMeaning
    : wholeNameFit(column, name, object);
}

/** Where rows have whole names alone, a last name takes them: CRMs have no other place for them, and some ask for it. */
function wholeNameFit(column: string, name: string, object: CrmObject): number {
  const isWhole = object !== 'company' && wholeNames.includes(wordsOf(column));
  return isWhole && meaningOf(name, object) === 'lastname' ? fits.wholeName : fits.none;
}

/** Whether the property takes what the rows say; where they say nothing, the name has to do. */
function canHold(property: CrmProperty, samples: readonly ExportedValue[]): boolean {
  const said = samples.map(sample => propertyValueOf(sample, property).kind).filter(kind => kind !== 'blank');
  return said.length === 0 || said.includes('value');
}

/** What stands in a CRM was mostly written by people: it is kept, but for verdicts, which grow old. */
function policyOf(column: string): CrmFieldMapping['policy'] {
  return verdictColumns.includes(column) ? 'overwrite' : 'fill_blank';
}
