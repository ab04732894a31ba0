import type { Schema } from '../../api/client.ts';
import type { CrmObject, CrmPolicy, CrmProperty } from './crms.ts';

export type CrmFilter = Schema['CrmFilter'];
type Operator = CrmFilter['operator'];
export type ResultColumn = Schema['CrmWriteBack']['fields'][number]['column'];

/** How conditions are called, and how many values each takes. */
export const operators: Readonly<
  Record<Operator, { readonly name: string; readonly values: 0 | 1 | 'many' }>
> = {
  is: { name: 'is', values: 1 },
  is_not: { name: 'is not', values: 1 },
  is_one_of: { name: 'is one of', values: 'many' },
  is_known: { name: 'has a value', values: 0 },
  is_unknown: { name: 'is blank', values: 0 },
  above: { name: 'is above', values: 1 },
  below: { name: 'is below', values: 1 },
  contains: { name: 'contains', values: 1 },
};

/** Results that can go back, in words. */
export const resultColumns: Readonly<Record<ResultColumn, string>> = {
  result_status: 'Result, such as ok or invalid',
  valid: 'Whether mail arrives: true or false',
  validated_at: 'When it was found out',
  email_type: 'Kind of address, such as professional',
  mx_provider: 'Mail provider',
  mx_domain: 'Mail host',
  email: 'Address as it was asked about',
};

/** A condition as it is being entered. */
export interface FilterDraft {
  readonly id: number;
  readonly property: string;
  readonly operator: Operator;
  readonly value: string;
}

/** Where a result goes, as it is being entered; no property yet is an empty text. */
export interface WriteBackDraft {
  readonly column: ResultColumn;
  readonly property: string;
  readonly policy: CrmPolicy;
}

export interface ImportDraft {
  readonly object: CrmObject;
  /** Undefined for everything; empty as long as none is chosen. */
  readonly segmentId: string | undefined;
  readonly filters: readonly FilterDraft[];
  readonly properties: readonly string[];
  readonly addressProperty: string;
  /** Undefined keeps results here. */
  readonly writeBack: readonly WriteBackDraft[] | undefined;
  /** Credits up to which the validation begins by itself; undefined waits for somebody. */
  readonly creditsMax: number | undefined;
  readonly name: string;
}

/** The property that has addresses, as far as its name tells. */
export function addressPropertyOf(properties: readonly CrmProperty[]): string {
  const texts = properties.filter(({ type }) => type === 'text' || type === 'other');
  const found =
    texts.find(({ name }) => /^e-?mail$/i.test(name)) ??
    texts.find(({ label }) => /^e-?mail$/i.test(label)) ??
    texts.find(({ name, label }) => /e-?mail/i.test(`${name} ${label}`));
  return found?.name ?? '';
}

/** Properties that people want to see beside an address. */
export function usualPropertiesOf(properties: readonly CrmProperty[], object: CrmObject): string[] {
  const wanted = object === 'company' ? /^(name|domain|website)$/i : /^(first_?name|last_?name|company)$/i;
  return properties.filter(({ name }) => wanted.test(name)).map(({ name }) => name);
}

/** Where the two results that people want most could go, by the names of properties that were made for them. */
export function usualWriteBack(properties: readonly CrmProperty[]): WriteBackDraft[] {
  const writable = properties.filter(property => property.is_writable);
  const find = (words: RegExp, types: readonly string[]) =>
    writable.find(({ name, label, type }) => types.includes(type) && words.test(`${name} ${label}`))?.name ??
    '';
  return [
    {
      column: 'result_status',
      property: find(/e-?mail.*(status|result|valid(?!ated)|verif)/i, ['text', 'choice']),
      policy: 'overwrite',
    },
    {
      column: 'validated_at',
      property: find(/e-?mail.*(validated|verified|checked)/i, ['date', 'moment', 'text']),
      policy: 'overwrite',
    },
  ];
}

/** What stands in the way of beginning; undefined where nothing does. */
export function faultOf(draft: ImportDraft): string | undefined {
  if (draft.segmentId === '') return 'Choose a list, or all records.';
  if (draft.addressProperty === '') return 'Choose the property that has the addresses.';
  const blank = draft.filters.find(
    ({ property, operator, value }) =>
      property === '' || (operators[operator].values !== 0 && valuesOf(operator, value).length === 0),
  );
  if (blank) return 'A filter is not complete: choose its property and enter what it is compared with.';
  if (!draft.writeBack) return undefined;
  const targets = draft.writeBack.map(({ property }) => property).filter(property => property !== '');
  if (targets.length === 0) return 'Choose a property for at least one result, or keep the results here.';
  if (new Set(targets).size < targets.length) return 'Two results go to the same property.';
  return undefined;
}

/** What is sent. */
export function requestOf(draft: ImportDraft, connectionId: string): Schema['NewCrmImport'] {
  const { segmentId, filters, addressProperty, properties, writeBack, creditsMax } = draft;
  const name = draft.name.trim();
  return {
    connection_id: connectionId,
    object: draft.object,
    selection: {
      ...(segmentId !== undefined && { segment_id: segmentId }),
      ...(filters.length > 0 && {
        filters: filters.map(({ property, operator, value }) => ({
          property,
          operator,
          ...(operators[operator].values !== 0 && { values: valuesOf(operator, value) }),
        })),
      }),
    },
    properties: [addressProperty, ...properties.filter(each => each !== addressProperty)],
    address_property: addressProperty,
    ...(name !== '' && { name }),
    ...(creditsMax !== undefined && { start_when_ready: true, credits_max: creditsMax }),
    ...(writeBack && { write_back: { fields: writeBack.filter(({ property }) => property !== '') } }),
  };
}

function valuesOf(operator: Operator, value: string): string[] {
  const values = operators[operator].values === 'many' ? value.split(',') : [value];
  return values.map(each => each.trim()).filter(each => each !== '');
}
