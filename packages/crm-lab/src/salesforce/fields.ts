export type FieldType =
  | 'id'
  | 'string'
  | 'email'
  | 'phone'
  | 'url'
  | 'textarea'
  | 'picklist'
  | 'multipicklist'
  | 'reference'
  | 'boolean'
  | 'int'
  | 'double'
  | 'currency'
  | 'percent'
  | 'date'
  | 'datetime'
  | 'address';

/** A field as `describe` returns it, without what Mailproof does not use. */
export interface FieldDescription {
  readonly name: string;
  readonly label: string;
  readonly type: FieldType;
  readonly length: number;
  readonly nillable: boolean;
  readonly createable: boolean;
  readonly updateable: boolean;
  readonly defaultedOnCreate: boolean;
  readonly unique: boolean;
  readonly externalId: boolean;
  readonly idLookup: boolean;
  readonly caseSensitive: boolean;
  readonly filterable: boolean;
  readonly sortable: boolean;
  readonly custom: boolean;
  readonly calculated: boolean;
  readonly restrictedPicklist: boolean;
  readonly picklistValues: readonly PicklistValue[];
  readonly referenceTo: readonly string[];
  readonly relationshipName: string | null;
}

export interface PicklistValue {
  readonly active: boolean;
  readonly defaultValue: boolean;
  readonly label: string;
  readonly value: string;
}

type Differences = Partial<Omit<FieldDescription, 'name' | 'label' | 'type'>>;

/** An optional field that any user may fill, unless `differences` say otherwise. */
export function field(
  name: string,
  label: string,
  type: FieldType,
  differences: Differences = {},
): FieldDescription {
  return {
    name,
    label,
    type,
    length: 0,
    nillable: true,
    createable: true,
    updateable: true,
    defaultedOnCreate: false,
    unique: false,
    externalId: false,
    idLookup: false,
    caseSensitive: false,
    filterable: true,
    sortable: true,
    custom: name.endsWith('__c'),
    calculated: false,
    restrictedPicklist: false,
    picklistValues: [],
    referenceTo: [],
    relationshipName: null,
    ...differences,
  };
}

/** Overrides for fields that Salesforce fills. */
export const filledBySalesforce = {
  createable: false,
  updateable: false,
  nillable: false,
  defaultedOnCreate: true,
} as const;

/** Overrides for fields that a new record requires. */
export const required = { nillable: false } as const;

export function choices(...values: string[]): Differences {
  return {
    length: 255,
    picklistValues: values.map(value => ({ active: true, defaultValue: false, label: value, value })),
  };
}

export function isText(type: FieldType): boolean {
  return ['string', 'email', 'phone', 'url', 'textarea', 'picklist', 'multipicklist'].includes(type);
}

export function isNumber(type: FieldType): boolean {
  return ['int', 'double', 'currency', 'percent'].includes(type);
}
