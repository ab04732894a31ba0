import { z } from 'zod';
import { CrmFault, type CrmRecordFault } from '../../domain/crm/crm.ts';

/** HubSpot refused a call because of its content; one of its records may be at fault. */
export class HubSpotRefusal extends CrmFault {
  readonly recordFault: RecordFault;

  constructor(recordFault: RecordFault) {
    super('refused');
    this.recordFault = recordFault;
  }
}

/** Why HubSpot rejects a record, and whether a retry can succeed. */
export interface RecordFault {
  readonly fault: CrmRecordFault;
  readonly isTransient: boolean;
}

/** How long to wait if HubSpot throttles without saying for how long, in milliseconds. */
const tenSecondsMs = 10_000;
const secondMs = 1_000;
/** A locked record is free again after this time, according to HubSpot. */
const lockedMs = 2_000;

const contexts = z.record(z.string(), z.union([z.array(z.string()), z.string()]));

/** Every field is optional, because HubSpot documents that fields can be missing. */
const errorBody = z.object({
  category: z.string().optional().catch(undefined),
  message: z.string().optional().catch(undefined),
  policyName: z.string().optional().catch(undefined),
  context: contexts.optional().catch(undefined),
  errors: z
    .array(
      z.object({
        code: z.string().optional().catch(undefined),
        in: z.string().optional().catch(undefined),
        /** The name that the client gives to `in`. */
        _in: z.string().optional().catch(undefined),
        context: contexts.optional().catch(undefined),
      }),
    )
    .optional()
    .catch(undefined),
});

type ErrorBody = z.output<typeof errorBody>;

export interface RefusedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The fault for an unsuccessful answer. */
export function faultOfAnswer({ status, headers, text }: RefusedAnswer): CrmFault {
  const body = parseError(text);
  if (status === 429) {
    return faultOfLimit(body, headers);
  }
  if (status >= 500) {
    return new CrmFault('away', retryAfterMs(headers));
  }
  switch (status) {
    case 401:
      return new CrmFault('revoked');
    case 403:
      return new CrmFault('not_permitted');
    case 404:
      return new CrmFault('not_found');
    case 423:
      return new CrmFault('away', lockedMs);
    // The account is being migrated between HubSpot's data centers, for up to a day.
    case 477:
      return new CrmFault('throttled', retryAfterMs(headers) ?? 60_000);
    case 400:
    case 409:
      return new HubSpotRefusal(recordFaultOf(body));
    default:
      return new CrmFault('refused');
  }
}

/** Whether the limit is the limit of searches, which resets after a second. */
export function isShortLimit(status: number, text: string): boolean {
  const { policyName, message = '' } = status === 429 ? parseError(text) : {};
  return (
    status === 429 &&
    (policyName === 'SECONDLY' || (policyName === undefined && /secondly limit/.test(message)))
  );
}

/** Why HubSpot rejects one record of a batch, from the response's errors. */
export function recordFaultOf(error: unknown): RecordFault {
  const parsed = errorBody.safeParse(error);
  const body = parsed.success ? parsed.data : {};
  const { category = '', message = '' } = body;
  switch (category) {
    case 'OBJECT_NOT_FOUND':
      return lasting('gone');
    case 'CONFLICT':
      // Another program has created a record with that address meanwhile; the next attempt finds it.
      return {
        fault: { code: 'duplicate', property: /^Contact already exists/.test(message) ? 'email' : null },
        isTransient: true,
      };
    case 'MISSING_SCOPES':
    case 'FORBIDDEN':
      return lasting('not_permitted');
    case 'RATE_LIMITS':
    case 'INTERNAL_ERROR':
      return { fault: { code: 'refused', property: null }, isTransient: true };
    case 'OBJECT_LOCKED':
    case 'LOCKED':
      return { fault: { code: 'locked', property: null }, isTransient: true };
    default: {
      const { code, property } = valueFaultOf(message) ?? listedFaultOf(body) ?? {};
      return lasting(codeOf(code), propertyName(property));
    }
  }
}

function faultOfLimit({ policyName }: ErrorBody, headers: RefusedAnswer['headers']): CrmFault {
  switch (policyName) {
    case 'DAILY':
      return new CrmFault('exhausted', retryAfterMs(headers));
    case 'SECONDLY':
      return new CrmFault('throttled', secondMs);
    default: {
      const spanMs = Number(headers['x-hubspot-ratelimit-interval-milliseconds']);
      return new CrmFault(
        'throttled',
        retryAfterMs(headers) ?? (spanMs > 0 ? Math.min(spanMs, 60_000) : tenSecondsMs),
      );
    }
  }
}

/** The first of the faults in the message, which has them as JSON after a sentence. */
function valueFaultOf(message: string): { code: string; property: string } | undefined {
  const begins = message.indexOf('[{');
  const ends = message.lastIndexOf('}]');
  if (begins === -1 || ends < begins) {
    return undefined;
  }
  try {
    const [first] = z
      .array(z.object({ error: z.string(), name: z.string() }))
      .min(1)
      .parse(JSON.parse(message.slice(begins, ends + 2)));
    return first && { code: first.error, property: first.name };
  } catch {
    return undefined;
  }
}

function listedFaultOf({
  errors = [],
  context,
  message = '',
}: ErrorBody): { code: string; property: string } | undefined {
  const [first] = errors;
  const [named = ''] = [
    first?.context?.['propertyName'] ?? context?.['propertyName'] ?? first?.in ?? first?._in ?? [],
  ].flat();
  if (first?.code !== undefined || named !== '') {
    return { code: first?.code ?? '', property: named };
  }
  if (/already has that value/.test(message)) {
    return { code: 'CONFLICTING_UNIQUE_VALUE', property: /propertyName=(\w+)/.exec(message)?.[1] ?? '' };
  }
  const [, missing] = /^Property "(\w+)" does not exist/.exec(message) ?? [];
  return missing === undefined ? undefined : { code: 'PROPERTY_DOESNT_EXIST', property: missing };
}

function codeOf(code: string | undefined): CrmRecordFault['code'] {
  switch (code) {
    case undefined:
    case '':
      return 'refused';
    case 'PROPERTY_DOESNT_EXIST':
      return 'no_such_property';
    case 'READ_ONLY_VALUE':
      return 'not_permitted';
    case 'CONFLICTING_UNIQUE_VALUE':
      return 'duplicate';
    case 'REQUIRED_FIELD':
    case 'MISSING_REQUIRED_PROPERTY':
    case 'REQUIRED_PROPERTY_MISSING':
      return 'missing_value';
    default:
      return /^(?:INVALID_|PROPERTY_VALUE_)/.test(code) ? 'invalid_value' : 'refused';
  }
}

function lasting(code: CrmRecordFault['code'], property: string | null = null): RecordFault {
  return { fault: { code, property }, isTransient: false };
}

/** HubSpot may send a value in place of a name, so only text that can be a name is passed on. */
function propertyName(name: string | undefined): string | null {
  return name !== undefined && /^[a-z][a-z0-9_]{0,254}$/.test(name) ? name : null;
}

function parseError(text: string): ErrorBody {
  try {
    return errorBody.parse(JSON.parse(text));
  } catch {
    return {};
  }
}

function retryAfterMs(headers: RefusedAnswer['headers']): number | null {
  const seconds = Number(headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 86_400) * 1_000 : null;
}
