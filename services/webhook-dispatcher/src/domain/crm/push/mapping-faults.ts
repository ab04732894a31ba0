import type { CrmObject, CrmOptions, CrmProperty, CrmProvider, ExportSource } from '@mailproof/shared-types';
import { objectsOfCrm } from '@mailproof/shared-types';
import { type Crm, ownKeyProperty } from '../crm.ts';
import type { MappedField } from './plan-writes.ts';
import { rowKeyOf } from './row-key.ts';

/** A problem of a mapping; `path` points into the options. */
export interface MappingIssue {
  readonly path: string;
  readonly message: string;
}

/** The mapping is not valid. The message names columns and properties, never values of rows. */
export class MappingFault extends Error {
  override readonly name = 'MappingFault';
  readonly issues: readonly MappingIssue[];

  constructor(issues: readonly MappingIssue[]) {
    super('The CRM mapping is not valid.');
    this.issues = issues;
  }
}

/** Checks the kind of record without calling the CRM. */
export function objectIssues(provider: CrmProvider, object: CrmObject, source: ExportSource): MappingIssue[] {
  if (!objectsOfCrm[provider].includes(object)) {
    return [{ path: 'object', message: 'The CRM does not have this record type.' }];
  }
  return rowKeyOf(source, object) === undefined
    ? [{ path: 'object', message: 'Rows of this source are companies and can only be written to companies.' }]
    : [];
}

/** Whether a property is our key, by which records are found again. */
export function isOwnKey({ name }: Pick<CrmProperty, 'name'>): boolean {
  return name === ownKeyProperty || name === `${ownKeyProperty}__c`;
}

/** Properties that a new record needs and that can be written. */
export function requiredOf(properties: readonly CrmProperty[]): CrmProperty[] {
  return properties.filter(each => each.is_required && each.is_writable && !isOwnKey(each));
}

/** Checks a mapping against the source's columns and the CRM's properties. */
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
          message: `A new record requires “${label}” (${name}); map a column to it, or do not create records.`,
        });
      }
    }
  }
  const identifying = crm.identifyingProperty(options.object);
  if (rowKeyOf(source, options.object)?.by === 'identifying' && !mapped.has(identifying?.property ?? '')) {
    issues.push({
      path: 'fields',
      message: `Rows of this source are identified by ${identifying?.property ?? 'nothing'}; map a column to it.`,
    });
  }
  return issues;
}

/** Why a property cannot be written, as a sentence; empty if it can. */
export function propertyIssue(property: CrmProperty | undefined, name: string): string[] {
  if (!property) {
    return [`The CRM has no property “${name}”.`];
  }
  if (isOwnKey(property)) {
    return [`“${name}” is reserved for Mailproof’s record id.`];
  }
  if (!property.is_writable) {
    return [`“${name}” is read-only.`];
  }
  return property.type === 'other' ? [`“${name}” has an unsupported type.`] : [];
}

/** The fields of a mapping with the CRM's descriptions; undefined if one no longer exists. */
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
