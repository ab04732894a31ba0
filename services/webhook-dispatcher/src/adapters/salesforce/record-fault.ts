import type { CrmRecordFault } from '../../domain/crm/crm.ts';

/** What Salesforce has against one record of a call. */
export interface SaveError {
  readonly statusCode: string;
  readonly message: string;
  readonly fields: readonly string[];
}

type Code = CrmRecordFault['code'];

const codes: Readonly<Record<string, Code>> = {
  REQUIRED_FIELD_MISSING: 'missing_value',
  MISSING_ARGUMENT: 'missing_value',
  STRING_TOO_LONG: 'invalid_value',
  INVALID_EMAIL_ADDRESS: 'invalid_value',
  INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST: 'invalid_value',
  INVALID_TYPE_ON_FIELD_IN_RECORD: 'invalid_value',
  NUMBER_OUTSIDE_VALID_RANGE: 'invalid_value',
  FIELD_CUSTOM_VALIDATION_EXCEPTION: 'invalid_value',
  FIELD_FILTER_VALIDATION_EXCEPTION: 'invalid_value',
  FIELD_INTEGRITY_EXCEPTION: 'invalid_value',
  JSON_PARSER_ERROR: 'invalid_value',
  MALFORMED_ID: 'invalid_value',
  DUPLICATES_DETECTED: 'duplicate',
  DUPLICATE_VALUE: 'duplicate',
  DUPLICATE_EXTERNAL_ID: 'duplicate',
  INVALID_FIELD: 'no_such_property',
  INVALID_FIELD_FOR_INSERT_UPDATE: 'not_permitted',
  CANNOT_INSERT_UPDATE_ACTIVATE_ENTITY: 'refused',
  INSUFFICIENT_ACCESS: 'not_permitted',
  INSUFFICIENT_ACCESS_OR_READONLY: 'not_permitted',
  INSUFFICIENT_ACCESS_ON_CROSS_REFERENCE_ENTITY: 'not_permitted',
  UNABLE_TO_LOCK_ROW: 'locked',
  ENTITY_IS_LOCKED: 'locked',
  CANNOT_UPDATE_CONVERTED_LEAD: 'locked',
  ENTITY_IS_DELETED: 'gone',
  NOT_FOUND: 'gone',
};

const transient = new Set([
  'UNABLE_TO_LOCK_ROW',
  'SERVER_UNAVAILABLE',
  'REQUEST_RUNNING_TOO_LONG',
  'QUERY_TIMEOUT',
  'OPERATION_TOO_LARGE',
]);

/** Never repeats the message: it says the value more often than not. */
export function recordFaultOf({ statusCode, fields }: SaveError): CrmRecordFault {
  const [property = null] = fields;
  // Of a record that is to be changed it is about the record itself, unless it names a field that refers to another one.
  if (statusCode === 'INVALID_CROSS_REFERENCE_KEY') {
    return { code: property === null ? 'gone' : 'invalid_value', property };
  }
  return { code: codes[statusCode] ?? 'refused', property };
}

/**
 * Whether trying again makes sense. Of two calls at the same time with one new key the second is refused with
 * `DUPLICATE_VALUE` though it would have changed the record of the first a moment later.
 */
export function isTransient({ statusCode, message, fields }: SaveError, ownKeyField: string): boolean {
  const isOurKey =
    statusCode === 'DUPLICATE_VALUE' && (fields.includes(ownKeyField) || message.includes(ownKeyField));
  return transient.has(statusCode) || isOurKey;
}
