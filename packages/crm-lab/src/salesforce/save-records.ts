import { z } from 'zod';
import { ApiError, invalidField } from './api-error.ts';
import { type FieldDescription, isNumber, isText } from './fields.ts';
import { type Organization, type StoredRecord, shortId } from './organization.ts';
import type { ObjectDescription } from './standard-objects.ts';

export interface SaveError {
  readonly statusCode: string;
  readonly message: string;
  readonly fields: readonly string[];
}

export interface SaveResult {
  readonly id?: string;
  readonly success: boolean;
  readonly created?: boolean;
  readonly errors: readonly SaveError[];
}

export type InputRecord = Readonly<Record<string, unknown>>;

/** Decides whether a record is refused regardless of its values, as a lock or a validation rule would. */
export type RefuseRecord = (object: string, values: InputRecord) => SaveError | undefined;

/**
 * Parses a record of a request before anything is saved. An unknown column, or a value that cannot be converted to the
 * column's type, refuses the whole call.
 */
export function readValues(
  organization: Organization,
  object: ObjectDescription,
  input: InputRecord,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(input)) {
    if (name === 'attributes' || name.toLowerCase() === 'id') {
      continue;
    }
    const field = organization
      .fieldsOf(object.name)
      .find(each => each.name.toLowerCase() === name.toLowerCase());
    if (field === undefined) {
      throw invalidField(`No such column '${name}' on sobject of type ${object.name}`);
    }
    values[field.name] = readValue(field, value);
  }
  return values;
}

const forms: Readonly<Record<string, z.ZodType>> = {
  boolean: z.boolean(),
  int: z.int(),
  number: z.number(),
  date: z.iso.date(),
  datetime: z.iso.datetime({ offset: true }),
  text: z.string(),
};

function readValue(field: FieldDescription, value: unknown): unknown {
  if (value === null) {
    return null;
  }
  const form = isNumber(field.type) && field.type !== 'int' ? 'number' : field.type;
  if (!(forms[form] ?? forms.text)?.safeParse(value).success) {
    throw new ApiError(
      400,
      'JSON_PARSER_ERROR',
      `Cannot deserialize instance of ${field.type} from VALUE_STRING value ${String(value)} or request may be missing a required field at [line:1, column:1]`,
    );
  }
  if (typeof value === 'string') {
    return value.trim() === '' ? null : value.trim();
  }
  return value;
}

/** Creates a record, or returns the error. */
export function createRecord(
  organization: Organization,
  object: ObjectDescription,
  values: InputRecord,
  refuse: RefuseRecord,
): SaveResult {
  const error =
    refuse(object.name, values) ??
    forbidden(organization, object, values, 'createable') ??
    missing(organization.fieldsOf(object.name), values) ??
    wrong(organization, object, values, undefined) ??
    duplicate(organization, object, values);
  return error ? failed(error) : { ...saved(organization.insert(object, values)), created: true };
}

/** Updates a record, or returns the error. */
export function updateRecord(
  organization: Organization,
  object: ObjectDescription,
  id: string,
  values: InputRecord,
  refuse: RefuseRecord,
): SaveResult {
  const record = organization.record(object.name, id);
  if (record === undefined) {
    return failed({
      statusCode: 'INVALID_CROSS_REFERENCE_KEY',
      message: 'invalid cross reference id',
      fields: [],
    });
  }
  if (record.IsDeleted === true) {
    return failed({ statusCode: 'ENTITY_IS_DELETED', message: 'entity is deleted', fields: [] });
  }
  if (record.IsConverted === true) {
    return failed({
      statusCode: 'CANNOT_UPDATE_CONVERTED_LEAD',
      message: 'cannot reference converted lead',
      fields: [],
    });
  }
  const error =
    refuse(object.name, { ...values, Id: record.Id }) ??
    forbidden(organization, object, values, 'updateable') ??
    emptied(organization.fieldsOf(object.name), values) ??
    wrong(organization, object, values, record);
  if (error) {
    return failed(error);
  }
  organization.change(object.name, record, values);
  return saved(record);
}

export function failed(error: SaveError): SaveResult {
  return { success: false, errors: [error] };
}

function saved(record: StoredRecord): SaveResult {
  return { id: record.Id, success: true, errors: [] };
}

function forbidden(
  organization: Organization,
  object: ObjectDescription,
  values: InputRecord,
  how: 'createable' | 'updateable',
): SaveError | undefined {
  const fields = organization
    .fieldsOf(object.name)
    .filter(field => field.name in values && !field[how])
    .map(({ name }) => name);
  return fields.length === 0
    ? undefined
    : {
        statusCode: 'INVALID_FIELD_FOR_INSERT_UPDATE',
        message: `Unable to create/update fields: ${fields.join(', ')}. Please check the security settings of this field and verify that it is read/write for your profile or permission set.`,
        fields,
      };
}

function missing(fields: readonly FieldDescription[], values: InputRecord): SaveError | undefined {
  return requiredFieldsMissing(
    fields.filter(
      ({ name, nillable, createable, defaultedOnCreate }) =>
        createable && !nillable && !defaultedOnCreate && (values[name] ?? null) === null,
    ),
  );
}

function emptied(fields: readonly FieldDescription[], values: InputRecord): SaveError | undefined {
  return requiredFieldsMissing(fields.filter(({ name, nillable }) => !nillable && values[name] === null));
}

function requiredFieldsMissing(fields: readonly FieldDescription[]): SaveError | undefined {
  const names = fields.map(({ name }) => name);
  return names.length === 0
    ? undefined
    : {
        statusCode: 'REQUIRED_FIELD_MISSING',
        message: `Required fields are missing: [${names.join(', ')}]`,
        fields: names,
      };
}

function wrong(
  organization: Organization,
  object: ObjectDescription,
  values: InputRecord,
  record: StoredRecord | undefined,
): SaveError | undefined {
  for (const field of organization.fieldsOf(object.name)) {
    const value = values[field.name];
    if (value === undefined || value === null) {
      continue;
    }
    const error =
      wrongValue(field, value) ??
      (field.unique ? taken(organization, object.name, field, value, record) : undefined);
    if (error) {
      return error;
    }
  }
  return undefined;
}

/** The messages repeat the value, as Salesforce's do; an adapter must not pass any part of them on. */
function wrongValue(field: FieldDescription, value: unknown): SaveError | undefined {
  const error = (statusCode: string, message: string): SaveError => ({
    statusCode,
    message,
    fields: [field.name],
  });
  if (typeof value !== 'string') {
    return undefined;
  }
  if (isText(field.type) && field.length > 0 && value.length > field.length) {
    return error(
      'STRING_TOO_LONG',
      `${field.label}: data value too large: ${value} (max length=${field.length})`,
    );
  }
  if (field.type === 'email' && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) {
    return error('INVALID_EMAIL_ADDRESS', `${field.label}: invalid email address: ${value}`);
  }
  if (field.restrictedPicklist && !field.picklistValues.some(choice => choice.value === value)) {
    return error(
      'INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST',
      `${field.label}: bad value for restricted picklist field: ${value}`,
    );
  }
  return undefined;
}

function taken(
  organization: Organization,
  object: string,
  { name }: FieldDescription,
  value: unknown,
  record: StoredRecord | undefined,
): SaveError | undefined {
  const other = organization.recordByUnique(object, name, value);
  return other === undefined || (record !== undefined && shortId(record.Id) === shortId(other.Id))
    ? undefined
    : {
        statusCode: 'DUPLICATE_VALUE',
        message: `duplicate value found: ${name} duplicates value on record with id: ${shortId(other.Id)}`,
        fields: [],
      };
}

function duplicate(
  organization: Organization,
  object: ObjectDescription,
  { Email: email }: InputRecord,
): SaveError | undefined {
  const isDuplicate =
    organization.refusesDuplicates &&
    typeof email === 'string' &&
    organization
      .recordsOf(object.name)
      .some(({ Email }) => typeof Email === 'string' && Email.toLowerCase() === email.toLowerCase());
  return isDuplicate
    ? {
        statusCode: 'DUPLICATES_DETECTED',
        message: `You're creating a duplicate record. We recommend you use an existing record instead.`,
        fields: [],
      }
    : undefined;
}
