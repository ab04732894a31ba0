import type { Schema } from '../../api/client.ts';
import type { CrmPolicy, CrmProperty } from './crms.ts';

type Suggestion = Schema['CrmMappingSuggestion'];
type Value = Suggestion['unmatched_columns'][number]['samples'][number];

/** One of our fields and the property that it fills; the property is empty if it fills none. */
export interface MappedField {
  readonly column: string;
  readonly samples: readonly Value[];
  readonly property: string;
  readonly policy: CrmPolicy;
}

/** The column of record ids, which an import adds. */
const recordIdColumn = 'crm_record_id';
const fieldsMax = 100;

/** Returns the suggested mapping, followed by the columns without a suggested property. */
export function mappingOf(suggestion: Suggestion): readonly MappedField[] {
  return [
    ...suggestion.fields.map(({ field, samples }) => ({ ...field, samples })),
    ...suggestion.unmatched_columns.map(({ column, samples }) => ({
      column,
      samples,
      property: '',
      policy: 'fill_blank' as const,
    })),
  ];
}

/** Returns the mapping with one field changed. */
export function changed(
  mapping: readonly MappedField[],
  column: string,
  more: Partial<Pick<MappedField, 'property' | 'policy'>>,
): readonly MappedField[] {
  return mapping.map(field => (field.column === column ? { ...field, ...more } : field));
}

/** Whether the rows contain the CRM's record ids. */
export function hasRecordIds(mapping: readonly MappedField[]): boolean {
  return mapping.some(({ column }) => column === recordIdColumn);
}

/** Whether the rows contain results of validation that fill no property. */
export function lacksResult(mapping: readonly MappedField[]): boolean {
  return mapping.some(({ column, property }) => column === 'result_status' && property === '');
}

/** Returns the fields whose property another field also fills. */
export function doubled(mapping: readonly MappedField[]): ReadonlySet<string> {
  const counts = Map.groupBy(
    mapping.filter(({ property }) => property !== ''),
    ({ property }) => property,
  );
  return new Set(
    [...counts.values()]
      .filter(fields => fields.length > 1)
      .flatMap(fields => fields.map(each => each.column)),
  );
}

/** Returns the properties that a new record requires but no field fills. */
export function missingOf(
  mapping: readonly MappedField[],
  properties: readonly CrmProperty[],
): readonly CrmProperty[] {
  const filled = new Set(mapping.map(({ property }) => property));
  return properties.filter(
    ({ name, is_required: isRequired, is_writable: isWritable }) =>
      isRequired && isWritable && !filled.has(name),
  );
}

/** Why the push cannot start; undefined if it can. */
export function mappingFault(mapping: readonly MappedField[]): string | undefined {
  const sent = mapping.filter(({ property }) => property !== '').length;
  if (sent === 0) return 'Choose a property for at least one field.';
  if (sent > fieldsMax) return `A push can fill at most ${fieldsMax} properties.`;
  if (doubled(mapping).size > 0) return 'A property can be used by one field only.';
  return undefined;
}

/** Builds the CRM options of the export request. */
export function optionsOf(
  mapping: readonly MappedField[],
  choices: {
    readonly connectionId: string;
    readonly object: Schema['CrmOptions']['object'];
    readonly byRecordId: boolean;
    readonly creates: boolean;
  },
): Schema['CrmOptions'] {
  const { connectionId, object, byRecordId, creates } = choices;
  return {
    connection_id: connectionId,
    object,
    fields: mapping
      .filter(({ property }) => property !== '')
      .map(({ column, property, policy }) => ({ column, property, policy })),
    ...(byRecordId ? { record_id_column: recordIdColumn } : !creates && { creates: false }),
  };
}

/** Returns the first non-empty sample as text. */
export function sampleText(samples: readonly Value[]): string {
  const sample = samples.find(value => value !== null && value !== '');
  return sample === undefined ? '–' : String(sample);
}
