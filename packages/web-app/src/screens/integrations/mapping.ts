import type { Schema } from '../../api/client.ts';
import type { CrmPolicy, CrmProperty } from './crms.ts';

type Suggestion = Schema['CrmMappingSuggestion'];
type Value = Suggestion['unmatched_columns'][number]['samples'][number];

/** A field of ours, and the property that it fills; an empty text where it fills none. */
export interface MappedField {
  readonly column: string;
  readonly samples: readonly Value[];
  readonly property: string;
  readonly policy: CrmPolicy;
}

/** The column with the ids of records, as an import brings it along. */
const recordIdColumn = 'crm_record_id';
const fieldsMax = 100;

/** What was suggested, with the columns behind it for which no property was found. */
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

/** The field with other choices. */
export function changed(
  mapping: readonly MappedField[],
  column: string,
  more: Partial<Pick<MappedField, 'property' | 'policy'>>,
): readonly MappedField[] {
  return mapping.map(field => (field.column === column ? { ...field, ...more } : field));
}

/** Whether rows know their records by the ids that the CRM has given them. */
export function hasRecordIds(mapping: readonly MappedField[]): boolean {
  return mapping.some(({ column }) => column === recordIdColumn);
}

/** Fields whose property another field fills as well. */
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

/** Properties that a new record needs and no field fills. */
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

/** What stands in the way of a push; undefined where nothing does. */
export function mappingFault(mapping: readonly MappedField[]): string | undefined {
  const sent = mapping.filter(({ property }) => property !== '').length;
  if (sent === 0) return 'Choose a property for at least one field.';
  if (sent > fieldsMax) return `One push fills at most ${fieldsMax} properties.`;
  if (doubled(mapping).size > 0) return 'A property is filled by one field alone.';
  return undefined;
}

/** How the rows are to become records, as the API is told. */
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

/** A sample in one line. */
export function sampleText(samples: readonly Value[]): string {
  const sample = samples.find(value => value !== null && value !== '');
  return sample === undefined ? '–' : String(sample);
}
