import type { OutsideFault } from '@mailproof/service-kit';
import { CrmFault, type CrmFaultKind } from '../../domain/crm/crm-fault.ts';
import { retryAfterMs } from '../../domain/push/retry-after.ts';

/** The access token is not accepted (any more). */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';

  constructor() {
    super('The CRM does not accept the access token.');
  }
}

/** A call that was refused for what it says, so that a part of it may well be taken. */
export class CallRefused extends CrmFault {
  readonly errorCode: string;

  constructor(errorCode: string, advice: string | null = null) {
    super('refused', null, advice);
    this.errorCode = errorCode;
  }
}

/** What is known of an answer that was no success. */
export interface RefusedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Such as `INVALID_FIELD`. */
  readonly errorCode: string;
  /** Repeats values now and then, so it is looked at and not passed on. */
  readonly message: string;
}

const kindsByStatus: Readonly<Record<number, CrmFaultKind>> = {
  403: 'not_permitted',
  404: 'not_found',
  408: 'away',
  // No route to the organisation is known at present.
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

/** What an answer means that is no success ("Status Codes and Error Responses"). */
export function faultOfAnswer(
  { status, headers, errorCode, message }: RefusedAnswer,
  now: Date,
): CrmFault | SessionEnded {
  const waitMs = retryAfterMs(headers['retry-after'], now) ?? null;
  if (status === 401) {
    return new SessionEnded();
  }
  if (errorCode === 'REQUEST_LIMIT_EXCEEDED') {
    // "ConcurrentPerOrgLongTxn Limit exceeded." and its like pass; "TotalRequests Limit exceeded." is the day's.
    return new CrmFault(/^Concurrent/.test(message) ? 'throttled' : 'exhausted', waitMs);
  }
  const kind = kindsByCode[errorCode] ?? kindsByStatus[status] ?? (status >= 500 ? 'away' : undefined);
  return kind === undefined ? new CallRefused(errorCode) : new CrmFault(kind, waitMs);
}

/** What a request that got no answer means. */
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
