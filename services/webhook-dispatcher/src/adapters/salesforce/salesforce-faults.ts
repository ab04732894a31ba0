import type { OutsideFault } from '@mailproof/service-kit';
import { CrmFault, type CrmFaultKind, type CrmRecordFault } from '../../domain/crm/crm.ts';
import { retryAfterMs } from '../../domain/push/answer.ts';

/** The access token is not accepted or no longer accepted. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';

  constructor() {
    super('The CRM does not accept the access token.');
  }
}

/** A call was refused because of its content, so a part of it may be accepted. */
export class CallRefused extends CrmFault {
  readonly errorCode: string;

  constructor(errorCode: string, advice: string | null = null) {
    super('refused', null, advice);
    this.errorCode = errorCode;
  }
}

/** An answer that was not a success. */
interface RefusedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Such as `INVALID_FIELD`. */
  readonly errorCode: string;
  /** May contain values, so it is evaluated but not passed on. */
  readonly message: string;
}

const kindsByStatus: Readonly<Record<number, CrmFaultKind>> = {
  403: 'not_permitted',
  404: 'not_found',
  408: 'away',
  // No route to the organization is available at present.
  420: 'away',
  425: 'away',
  429: 'throttled',
};

const kindsByCode: Readonly<Record<string, CrmFaultKind>> = {
  INVALID_TYPE: 'not_found',
  NOT_FOUND: 'not_found',
  API_CURRENTLY_DISABLED: 'not_permitted',
  API_DISABLED_FOR_ORG: 'not_permitted',
  INSUFFICIENT_ACCESS: 'not_permitted',
  INSUFFICIENT_ACCESS_OR_READONLY: 'not_permitted',
  OPERATION_TOO_LARGE: 'away',
  QUERY_TIMEOUT: 'away',
  REQUEST_RUNNING_TOO_LONG: 'away',
  SERVER_UNAVAILABLE: 'away',
  UNABLE_TO_LOCK_ROW: 'away',
};

/** The fault for an answer that is not a success ("Status Codes and Error Responses"). */
export function faultOfAnswer(
  { status, headers, errorCode, message }: RefusedAnswer,
  now: Date,
): CrmFault | SessionEnded {
  const waitMs = retryAfterMs(headers['retry-after'], now) ?? null;
  if (status === 401) {
    return new SessionEnded();
  }
  if (errorCode === 'REQUEST_LIMIT_EXCEEDED') {
    // Limits such as "ConcurrentPerOrgLongTxn Limit exceeded." are temporary; "TotalRequests Limit exceeded." is daily.
    return new CrmFault(/^Concurrent/.test(message) ? 'throttled' : 'exhausted', waitMs);
  }
  const kind = kindsByCode[errorCode] ?? kindsByStatus[status] ?? (status >= 500 ? 'away' : undefined);
  return kind === undefined ? new CallRefused(errorCode) : new CrmFault(kind, waitMs);
}

/** The fault for a request that got no answer. */
export function faultOfOutside({ kind }: OutsideFault): CrmFault {
  switch (kind) {
    case 'unreachable':
    case 'too_late':
    case 'not_readable':
      return new CrmFault('away');
    case 'not_allowed':
    case 'too_large':
      return new CrmFault('refused');
  }
}

/** Salesforce's error for one record of a call. */
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

/** Never repeats the message, because it usually contains the value. */
export function recordFaultOf({ statusCode, fields }: SaveError): CrmRecordFault {
  const [property = null] = fields;
  // In an update, this code concerns the record itself, unless it names a field that refers to another record.
  if (statusCode === 'INVALID_CROSS_REFERENCE_KEY') {
    return { code: property === null ? 'gone' : 'invalid_value', property };
  }
  return { code: codes[statusCode] ?? 'refused', property };
}

/**
 * Whether a retry can succeed. Of two concurrent calls with the same new key, the second is refused with
 * `DUPLICATE_VALUE`, although a moment later it would have updated the record of the first.
 */
export function isTransient({ statusCode, message, fields }: SaveError, ownKeyField: string): boolean {
  const isOurKey =
    statusCode === 'DUPLICATE_VALUE' && (fields.includes(ownKeyField) || message.includes(ownKeyField));
  return transient.has(statusCode) || isOurKey;
}
