import { isWriteBackProperty } from '@mailproof/shared-types';
import type { Schema } from '../../api/client.ts';
import type { CrmObject, CrmPolicy, CrmProperty } from './crms.ts';

type CrmFilter = Schema['CrmFilter'];
type Operator = CrmFilter['operator'];
export type ResultColumn = Schema['CrmWriteBack']['fields'][number]['column'];

/** The display names of the filter operators, and how many values each takes. */
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

/** The display names of the results that can be written back. */
export const resultColumns: Readonly<Record<ResultColumn, string>> = {
  result_status: 'Result, such as ok or invalid',
  valid: 'Deliverable: true or false',
  validated_at: 'Validation time',
  email_type: 'Kind of address, such as professional',
  mx_provider: 'Mail provider',
  mx_domain: 'Mail host',
  email: 'Validated address',
};

/** A filter that is being edited. */
export interface FilterDraft {
  readonly id: number;
  readonly property: string;
  readonly operator: Operator;
  readonly value: string;
}

/** A write-back field that is being edited; the property is empty until one is chosen. */
export interface WriteBackDraft {
  readonly column: ResultColumn;
  readonly property: string;
  readonly policy: CrmPolicy;
}

export interface ImportDraft {
  readonly object: CrmObject;
  /** Undefined for all records; empty until a segment is chosen. */
  readonly segmentId: string | undefined;
  readonly filters: readonly FilterDraft[];
  readonly properties: readonly string[];
  readonly addressProperty: string;
  /** Undefined if results are not written back. */
  readonly writeBack: readonly WriteBackDraft[] | undefined;
  /**
   * The most credits that the validation may cost to start automatically; 0 if the typed text is not a number. If
   * undefined, it waits for the user.
   */
  readonly creditsMax: number | undefined;
  /** The list to which the companies are added; empty for a new one, undefined if the addresses are validated. */
  readonly listId: string | undefined;
  /** The name of the new list. */
  readonly listName: string;
  readonly name: string;
}

/** Guesses the property that contains email addresses, by its name. */
export function addressPropertyOf(properties: readonly CrmProperty[]): string {
  const texts = properties.filter(({ type }) => type === 'text' || type === 'other');
  const found =
    texts.find(({ name }) => /^e-?mail$/i.test(name)) ??
    texts.find(({ label }) => /^e-?mail$/i.test(label)) ??
    texts.find(({ name, label }) => /e-?mail/i.test(`${name} ${label}`));
  return found?.name ?? '';
}

/** Guesses the property that tells the company: its domain or website, or the address of a person. */
export function companyPropertyOf(properties: readonly CrmProperty[], object: CrmObject): string {
  const find = (words: RegExp) => properties.find(({ name }) => words.test(name))?.name;
  const ofCompany = object === 'company' ? (find(/^domain$/i) ?? find(/^website$/i)) : undefined;
  return ofCompany ?? addressPropertyOf(properties);
}

/** Returns the properties that users usually want to see next to an address. */
export function usualPropertiesOf(properties: readonly CrmProperty[], object: CrmObject): string[] {
  const wanted = object === 'company' ? /^(name|domain|website)$/i : /^(first_?name|last_?name|company)$/i;
  return properties.filter(({ name }) => wanted.test(name)).map(({ name }) => name);
}

/** Suggests where to write the two most wanted results, by the names of likely properties. */
export function usualWriteBack(properties: readonly CrmProperty[]): WriteBackDraft[] {
  const writable = properties.filter(property => property.is_writable);
  const find = (column: ResultColumn, words: RegExp, types: readonly string[]) =>
    (
      writable.find(property => isWriteBackProperty(column, property)) ??
      writable.find(({ name, label, type }) => types.includes(type) && words.test(`${name} ${label}`))
    )?.name ?? '';
  return [
    {
      column: 'result_status',
      property: find('result_status', /e-?mail.*(status|result|valid(?!ated)|verif)/i, ['text', 'choice']),
      policy: 'overwrite',
    },
    {
      column: 'validated_at',
      property: find('validated_at', /e-?mail.*(validated|verified|checked)/i, ['date', 'moment', 'text']),
      policy: 'overwrite',
    },
  ];
}

/** Why the import cannot start; undefined if it can. */
export function faultOf(draft: ImportDraft): string | undefined {
  if (draft.segmentId === '') return 'Choose a list, or all records.';
  if (draft.addressProperty === '') {
    return draft.listId === undefined
      ? 'Choose the property with the email addresses.'
      : 'Choose the property with the addresses, domains or websites.';
  }
  const blank = draft.filters.find(
    ({ property, operator, value }) =>
      property === '' || (operators[operator].values !== 0 && valuesOf(operator, value).length === 0),
  );
  if (blank) return 'A filter is incomplete: choose its property and enter a value.';
  if (draft.listId === '' && draft.listName.trim() === '') return 'Enter a name for the new list.';
  if (draft.listId !== undefined) return undefined;
  if (draft.creditsMax === 0) return 'Enter the maximum credits: a whole number of at least 1.';
  if (!draft.writeBack) return undefined;
  const targets = draft.writeBack.map(({ property }) => property).filter(property => property !== '');
  if (targets.length === 0) return 'Choose a property for at least one result, or turn off writing back.';
  if (new Set(targets).size < targets.length) return 'Two results use the same property.';
  return undefined;
}

/** Builds the request; a new list has been created under `listId`. */
export function requestOf(draft: ImportDraft, connectionId: string): Schema['NewCrmImport'] {
  const { segmentId, filters, addressProperty, listId } = draft;
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
    address_property: addressProperty,
    ...(name !== '' && { name }),
    ...(listId === undefined ? validationOf(draft) : { properties: [addressProperty], list_id: listId }),
  };
}

function validationOf({ addressProperty, properties, writeBack, creditsMax }: ImportDraft) {
  return {
    properties: [addressProperty, ...properties.filter(each => each !== addressProperty)],
    ...(creditsMax !== undefined && { start_when_ready: true, credits_max: creditsMax }),
    ...(writeBack && { write_back: { fields: writeBack.filter(({ property }) => property !== '') } }),
  };
}

function valuesOf(operator: Operator, value: string): string[] {
  const values = operators[operator].values === 'many' ? value.split(',') : [value];
  return values.map(each => each.trim()).filter(each => each !== '');
}

type CrmImport = Pick<
  Schema['CrmImport'],
  'state' | 'start_when_ready' | 'write_back' | 'job_id' | 'written_back' | 'list_id'
>;

interface ImportStep {
  readonly name: string;
  readonly status: 'done' | 'current' | 'ahead';
}

/** Returns the steps of an import with their states. An import without further tasks ends after reading. */
export function importSteps(crmImport: CrmImport): readonly ImportStep[] {
  const { state } = crmImport;
  const hasMoreSteps = crmImport.start_when_ready || crmImport.write_back !== null;
  const names = [
    'Read records',
    ...(crmImport.list_id === null ? [] : ['Add the companies to the list']),
    ...(hasMoreSteps ? ['Validate addresses'] : []),
    ...(crmImport.write_back ? ['Write results back'] : []),
  ];
  const reached = stepOf(crmImport);
  const isOver = state === 'failed' || state === 'cancelled';
  return names.map((name, at) => ({
    name,
    status: at < reached || state === 'succeeded' ? 'done' : at === reached && !isOver ? 'current' : 'ahead',
  }));
}

function stepOf({ state, job_id: jobId, written_back: writtenBack }: CrmImport): number {
  if (state === 'writing_back' || writtenBack) return 2;
  // For ended imports: if there is a job, all records were read.
  return state === 'ready' || state === 'validating' || jobId ? 1 : 0;
}
