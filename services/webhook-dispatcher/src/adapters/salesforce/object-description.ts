import type { CrmObject, CrmProperty, CrmPropertyType } from '@mailproof/shared-types';
import { z } from 'zod';
import { CrmFault, ownKeyProperty } from '../../domain/crm/crm.ts';
import type { SalesforceSession } from './salesforce-session.ts';

/** Our custom field; the names of custom fields end with `__c`. */
export const ownKeyField = `${ownKeyProperty}__c`;

export const objectNames: Readonly<Record<CrmObject, string>> = {
  contact: 'Contact',
  lead: 'Lead',
  company: 'Account',
};

/** A kind of record, as visible to the user who connected the organization. */
export interface ObjectDescription {
  readonly name: string;
  /** The first three characters of its records' ids. */
  readonly keyPrefix: string;
  readonly fields: ReadonlyMap<string, Field>;
}

const fieldForm = z.object({
  name: z.string(),
  label: z.string(),
  type: z.string(),
  length: z.number(),
  nillable: z.boolean(),
  createable: z.boolean(),
  updateable: z.boolean(),
  defaultedOnCreate: z.boolean(),
  unique: z.boolean(),
  externalId: z.boolean(),
  filterable: z.boolean(),
  picklistValues: z
    .array(z.object({ active: z.boolean(), label: z.string().nullable(), value: z.string() }))
    .nullish(),
});

export type Field = z.output<typeof fieldForm>;

const objectForm = z.object({
  name: z.string(),
  keyPrefix: z.string().length(3),
  fields: z.array(fieldForm),
});

/** Reads descriptions and caches the last one of each kind, since it is large and every call needs it. */
export class Descriptions {
  readonly #session: SalesforceSession;
  readonly #kept = new Map<CrmObject, ObjectDescription>();

  constructor(session: SalesforceSession) {
    this.#session = session;
  }

  async read(object: CrmObject, signal: AbortSignal): Promise<ObjectDescription> {
    const { name, keyPrefix, fields } = await this.#session.call(signal, async connection =>
      objectForm.parse(await connection.describe(objectNames[object])),
    );
    const described = { name, keyPrefix, fields: new Map(fields.map(field => [field.name, field])) };
    this.#kept.set(object, described);
    return described;
  }

  /**
   * Returns the cached description, or reads it again if a named field is missing, which may have been created since.
   */
  async of(object: CrmObject, names: readonly string[], signal: AbortSignal): Promise<ObjectDescription> {
    const kept = this.#kept.get(object);
    return kept && names.every(name => kept.fields.has(name)) ? kept : await this.read(object, signal);
  }

  /** Discards the cached description after an error about a field, since it may be outdated. */
  forget(object: CrmObject): void {
    this.#kept.delete(object);
  }
}

/** Finds a field by an external name. A name without a description never becomes part of a query. */
export function namedField({ fields }: ObjectDescription, name: string): Field {
  const field = fields.get(name);
  if (field === undefined) {
    throw new CrmFault('not_found');
  }
  return field;
}

const types: Readonly<Record<string, CrmPropertyType>> = {
  string: 'text',
  textarea: 'text',
  email: 'text',
  phone: 'text',
  url: 'text',
  id: 'text',
  reference: 'text',
  combobox: 'text',
  encryptedstring: 'text',
  picklist: 'choice',
  multipicklist: 'choice',
  int: 'number',
  long: 'number',
  double: 'number',
  currency: 'number',
  percent: 'number',
  boolean: 'boolean',
  date: 'date',
  datetime: 'moment',
};

export function typeOf({ type }: Field): CrmPropertyType {
  return types[type] ?? 'other';
}

export function propertyOf(field: Field): CrmProperty {
  const { name, label, length, nillable, createable, updateable, defaultedOnCreate, unique } = field;
  const type = typeOf(field);
  const active = (field.picklistValues ?? []).filter(choice => choice.active);
  return {
    name,
    label,
    type,
    choices: type === 'choice' ? active.map(({ value, label }) => ({ value, label: label ?? value })) : [],
    characters_max: type === 'text' && length > 0 ? length : null,
    is_writable: createable && updateable && type !== 'other',
    is_required: createable && !nillable && !defaultedOnCreate,
    is_unique: unique,
  };
}
