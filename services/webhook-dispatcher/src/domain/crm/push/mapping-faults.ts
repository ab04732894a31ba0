import type { CrmObject, CrmOptions, CrmProperty, CrmProvider, ExportSource } from '@mailproof/shared-types';
import { objectsOfCrm } from '@mailproof/shared-types';
import { type Crm, ownKeyProperty } from '../crm.ts';
import type { MappedField } from './plan-writes.ts';
import { rowKeyOf } from './row-key.ts';

/** Something that is wrong with how rows are to become records; the path leads into the options. */
export interface MappingIssue {
  readonly path: string;
  readonly message: string;
}

/** Rows cannot become records in this way. The message names columns and properties, never what rows say. */
export class MappingFault extends Error {
  override readonly name = 'MappingFault';
  readonly issues: readonly MappingIssue[];

  constructor(issues: readonly MappingIssue[]) {
    super('Rows cannot become records of the CRM in this way.');
    this.issues = issues;
  }
}

/** What is wrong with the kind of records, before the CRM is asked anything. */
export function objectIssues(provider: CrmProvider, object: CrmObject, source: ExportSource): MappingIssue[] {
  if (!objectsOfCrm[provider].includes(object)) {
    return [{ path: 'object', message: 'The CRM has no such kind of records.' }];
  }
  return rowKeyOf(source, object) === undefined
    ? [{ path: 'object', message: 'Rows of this source are companies and can become nothing else.' }]
    : [];
}

/** Whether a property is ours: what it says is how records are found again. */
export function isOwnKey({ name }: Pick<CrmProperty, 'name'>): boolean {
  return name === ownKeyProperty || name === `${ownKeyProperty}__c`;
}

/** Properties that a new record needs and that can be written. */
export function requiredOf(properties: readonly CrmProperty[]): CrmProperty[] {
  return properties.filter(each => each.is_required && each.is_writable && !isOwnKey(each));
}

/** What is wrong with a mapping, given the columns that there are and the properties that the CRM has. */
export function mappingIssues(
  options: CrmOptions,
  {
    crm,
    source,
    columns,
    properties,
  }: {
    readonly crm: Pick<Crm, 'identifyingProperty'>;
    readonly source: ExportSource;
    readonly columns: readonly string[];
    readonly properties: readonly CrmProperty[];
  },
): MappingIssue[] {
  const byName = new Map(properties.map(property => [property.name, property]));
  const mapped = new Set(options.fields.map(field => field.property));
  const issues: MappingIssue[] = options.fields.flatMap(({ column, property }, at) => [
    ...(columns.includes(column)
      ? []
      : [{ path: `fields/${at}/column`, message: `The export has no column “${column}”.` }]),
    ...propertyIssue(byName.get(property), property).map(message => ({
      path: `fields/${at}/property`,
      message,
    })),
  ]);
  const { record_id_column: recordIdColumn } = options;
  if (recordIdColumn !== undefined) {
    return columns.includes(recordIdColumn)
      ? issues
      : [...issues, { path: 'record_id_column', message: `The export has no column “${recordIdColumn}”.` }];
  }
  if (options.creates !== false) {
    for (const { name, label } of requiredOf(properties)) {
      if (!mapped.has(name)) {
        issues.push({
          path: 'fields',
          message: `A new record needs “${label}” (${name}); map a column to it, or let the push create none.`,
        });
      }
    }
  }
  const identifying = crm.identifyingProperty(options.object);
  if (rowKeyOf(source, options.object)?.by === 'identifying' && !mapped.has(identifying?.property ?? '')) {
    issues.push({
      path: 'fields',
      message: `Rows of this source are told apart as such records by ${identifying?.property ?? 'nothing'}; map a column to it.`,
    });
  }
  return issues;
}

/** What stands against writing a property, in a sentence; nothing where it can be written. */
export function propertyIssue(property: CrmProperty | undefined, name: string): string[] {
  if (!property) {
    return [`The CRM has no property “${name}”.`];
  }
  if (isOwnKey(property)) {
    return [`“${name}” is ours: records are found again by it.`];
  }
  if (!property.is_writable) {
    return [`“${name}” cannot be written.`];
  }
  return property.type === 'other' ? [`“${name}” is of a type that is not written.`] : [];
}

/** The fields of a mapping with what the CRM says of them; undefined where one is not there any more. */
export function mappedFields(
  { fields }: CrmOptions,
  properties: readonly CrmProperty[],
): MappedField[] | undefined {
  const byName = new Map(properties.map(property => [property.name, property]));
  const mapped = fields.flatMap(field => {
    const property = byName.get(field.property);
    return property?.is_writable ? [{ field, property }] : [];
  });
  return mapped.length === fields.length ? mapped : undefined;
}
