import type { CrmObject } from '@mailproof/shared-types';
import type { CrmSelection, RecordPage } from '../../domain/crm/crm.ts';
import { CrmFault } from '../../domain/crm/crm-fault.ts';
import { filterCondition } from './filter-condition.ts';
import { type ListViewConditions, readListViewConditions } from './list-views.ts';
import { type Descriptions, type Field, namedField, type ObjectDescription } from './object-description.ts';
import { isIdOf } from './record-id.ts';
import { readValue } from './record-values.ts';
import { runQuery } from './run-query.ts';
import type { SalesforceSession } from './salesforce-session.ts';
import { fitsAddress, quoted } from './soql.ts';

export interface Selecting {
  readonly session: SalesforceSession;
  readonly descriptions: Descriptions;
  readonly object: CrmObject;
  readonly selection: CrmSelection;
  readonly signal: AbortSignal;
}

/** Counts as far as anybody wants to know. */
export async function countRecords(selecting: Selecting): Promise<number> {
  const { session, selection, signal } = selecting;
  const { from, where } = await narrowed(selecting, []);
  const condition = where.length > 0 ? ` WHERE ${where.join(' AND ')}` : '';
  const soql = `SELECT COUNT() FROM ${from}${condition} LIMIT ${selection.recordsMax + 1}`;
  return (await runQuery(session, checked(soql), signal)).totalSize;
}

/** Records of one page; fewer where their texts can be long. */
const pageRecordsMax = 1_000;
const pageRecordsMin = 200;
/** Octets of a page that are aimed at, if every field were as full as it can be. */
const pageBytes = 16 * 1_024 * 1_024;

/**
 * A page in the order of ids. Each page asks anew behind the last id, so that nothing is left out or comes twice however
 * long it takes: a cursor of Salesforce's would end after two days, and OFFSET at 2,000.
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
  // Salesforce gives fewer records than it was asked for where they are large; the next page begins behind those.
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
  /** Conditions that all have to hold, each in brackets. */
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
    throw new CrmFault('refused', null, 'The filters and properties are more than Salesforce takes at once.');
  }
  return soql;
}
