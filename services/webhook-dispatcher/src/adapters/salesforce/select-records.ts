import type { CrmObject } from '@mailproof/shared-types';
import { z } from 'zod';
import { CrmFault, type CrmFilter, type CrmSelection, type RecordPage } from '../../domain/crm/crm.ts';
import { type ListViewConditions, readListViewConditions } from './list-views.ts';
import {
  type Descriptions,
  type Field,
  namedField,
  type ObjectDescription,
  typeOf,
} from './object-description.ts';
import { isIdOf, isRecordId, readValue } from './record-values.ts';
import type { SalesforceSession } from './salesforce-session.ts';
import { fitsAddress, quoted, quotedPattern, runQuery } from './soql.ts';

interface Selecting {
  readonly session: SalesforceSession;
  readonly descriptions: Descriptions;
  readonly object: CrmObject;
  readonly selection: CrmSelection;
  readonly signal: AbortSignal;
}

/** Counts records up to one more than `recordsMax`. */
export async function countRecords(selecting: Selecting): Promise<number> {
  const { session, selection, signal } = selecting;
  const { from, where } = await narrowed(selecting, []);
  const condition = where.length > 0 ? ` WHERE ${where.join(' AND ')}` : '';
  const soql = `SELECT COUNT() FROM ${from}${condition} LIMIT ${selection.recordsMax + 1}`;
  return (await runQuery(session, checked(soql), signal)).totalSize;
}

/** The number of records in one page; lower if their texts can be long. */
const pageRecordsMax = 1_000;
const pageRecordsMin = 200;
/** The target size of a page in octets, if every field had its maximum length. */
const pageBytes = 16 * 1_024 * 1_024;

/**
 * Reads a page in the order of ids. Each page is a new query after the last id, so nothing is skipped or repeated, no
 * matter how long the reading takes: Salesforce's cursors expire after two days, and OFFSET is limited to 2,000.
 */
export async function pageRecords(
  selecting: Selecting,
  { properties, after }: { readonly properties: readonly string[]; readonly after: string | null },
): Promise<RecordPage> {
  const { session, signal } = selecting;
  const { described, from, where } = await narrowed(selecting, properties);
  if (after !== null && !isIdOf(described.keyPrefix, after)) {
    throw new CrmFault('refused');
  }
  const behind = after === null ? [] : [`Id > ${quoted(after)}`];
  const conditions = [...where, ...behind];
  const condition = conditions.length > 0 ? ` WHERE ${conditions.join(' AND ')}` : '';
  const fields = properties.map(name => namedField(described, name));
  const limit = recordsPerPage(fields);
  const selected = [...new Set(['Id', ...properties])].join(',');
  const soql = `SELECT ${selected} FROM ${from}${condition} ORDER BY Id LIMIT ${limit}`;
  const { records, done } = await runQuery(session, checked(soql), signal);
  const page = records.map(record => ({
    recordId: String(record.Id),
    values: Object.fromEntries(properties.map(name => [name, String(readValue(record[name]) ?? '')])),
  }));
  const last = page.at(-1);
  // Salesforce returns fewer records than requested if they are large; the next page starts after those.
  const isEnd = last === undefined || (done && page.length < limit);
  return { records: page, next: isEnd ? null : last.recordId };
}

function recordsPerPage(fields: readonly Field[]): number {
  const bytes = fields.reduce((sum, { length }) => sum + Math.max(length, 20) + 20, 100);
  return Math.min(pageRecordsMax, Math.max(pageRecordsMin, Math.floor(pageBytes / bytes)));
}

interface Narrowed {
  readonly described: ObjectDescription;
  readonly from: string;
  /** Conditions that all have to hold, each in parentheses. */
  readonly where: readonly string[];
}

async function narrowed(
  { session, descriptions, object, selection, signal }: Selecting,
  properties: readonly string[],
): Promise<Narrowed> {
  const { segmentId, filters } = selection;
  const names = [...properties, ...filters.map(({ property }) => property)];
  const described = await descriptions.of(object, names, signal);
  const filtered = filters.map(filter => filterCondition(namedField(described, filter.property), filter));
  const view: ListViewConditions =
    segmentId === null
      ? { scope: null, where: null }
      : await readListViewConditions(session, object, segmentId, signal);
  return {
    described,
    from: view.scope === null ? described.name : `${described.name} USING SCOPE ${view.scope}`,
    where: [...(view.where === null ? [] : [view.where]), ...filtered].map(each => `(${each})`),
  };
}

function checked(soql: string): string {
  if (!fitsAddress(soql)) {
    throw new CrmFault(
      'refused',
      null,
      'The filters and properties exceed what Salesforce accepts in one query.',
    );
  }
  return soql;
}

const signs = { is: '=', is_not: '!=', above: '>', below: '<' } as const;

/** Converts a filter to a SOQL condition. Refuses a value that does not have the field's type. */
function filterCondition(field: Field, { operator, values }: CrmFilter): string {
  if (!field.filterable || typeOf(field) === 'other') {
    throw refused(field, 'cannot be filtered by');
  }
  const { name } = field;
  const [first] = values;
  switch (operator) {
    case 'is_known':
      return `${name} != null`;
    case 'is_unknown':
      return `${name} = null`;
    default:
  }
  if (first === undefined) {
    throw refused(field, 'needs a value');
  }
  switch (operator) {
    case 'is_one_of':
      return field.type === 'multipicklist'
        ? `${name} INCLUDES (${values.map(quoted).join(',')})`
        : `${name} IN (${values.map(value => literalOf(field, value)).join(',')})`;
    case 'contains':
      return containsCondition(field, first);
    default:
      return `${name} ${signs[operator]} ${literalOf(field, first)}`;
  }
}

function containsCondition(field: Field, value: string): string {
  if (field.type === 'multipicklist') {
    return `${field.name} INCLUDES (${quoted(value)})`;
  }
  if (!isText(field)) {
    throw refused(field, 'is not text, so it cannot contain a value');
  }
  return `${field.name} LIKE ${quotedPattern('%', value, '%')}`;
}

/** Excludes ids, which can only be compared as a whole. */
function isText(field: Field): boolean {
  const type = typeOf(field);
  return (type === 'text' || type === 'choice') && field.type !== 'id' && field.type !== 'reference';
}

const forms = {
  number: z.string().regex(/^-?\d{1,18}(?:\.\d{1,18})?$/),
  boolean: z.enum(['true', 'false']),
  date: z.iso.date(),
  moment: z.iso.datetime({ offset: true }).transform(text => new Date(text).toISOString()),
} as const;

function literalOf(field: Field, value: string): string {
  if (isText(field)) {
    return quoted(value);
  }
  const type = typeOf(field);
  if (type === 'text' || type === 'choice' || type === 'other') {
    if (!isRecordId(value)) {
      throw refused(field, 'contains a Salesforce id');
    }
    return quoted(value);
  }
  const parsed = forms[type].safeParse(value.trim());
  if (!parsed.success) {
    throw refused(field, `requires a ${type}`);
  }
  return parsed.data;
}

function refused({ label }: Field, why: string): CrmFault {
  return new CrmFault('refused', null, `The field ${label} ${why}.`);
}
