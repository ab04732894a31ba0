import { emailAddressIssue, type ProblemCode } from '@mailproof/shared-types';
import type { z } from 'zod';
import { type FieldError, Problem, unavailable } from '../problem.ts';
import { isStoreUnavailable } from '../stores/store-unavailable.ts';

/** Error types of `body-parser` and `express`. */
const knownTypes: Readonly<Record<string, ProblemCode>> = {
  'entity.too.large': 'body_too_large',
  'encoding.unsupported': 'unsupported_media_type',
  'request.size.invalid': 'invalid_request',
  'request.aborted': 'invalid_request',
};

/** Turns an error into a problem that clients may see. No other code does this. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) {
    return error;
  }
  const { type, status } = Object(error) as { type?: unknown; status?: unknown };
  const code = typeof type === 'string' ? knownTypes[type] : undefined;
  if (code) {
    return new Problem(code, { cause: error });
  }
  // Express sets a 4xx status on its own errors, for example for a path with invalid percent-encoding.
  if (typeof status === 'number' && status >= 400 && status < 500) {
    return new Problem('invalid_request', { cause: error });
  }
  return isStoreUnavailable(error)
    ? unavailable('A required store is not responding.', error)
    : new Problem('internal_error', { cause: error });
}

/** Turns the issues of a parsed request into a problem; an invalid email address has its own code. */
export function problemOfIssues(error: z.ZodError, prefix = ''): Problem {
  const refusedAddress = error.issues.find(
    issue => issue.code === 'custom' && issue.params?.['kind'] === emailAddressIssue,
  );
  const errors = error.issues.flatMap(issue => errorsOf(issue, prefix)).slice(0, 20);
  return refusedAddress && error.issues.length === 1
    ? new Problem('invalid_email_address', { detail: refusedAddress.message, extra: { errors } })
    : new Problem('invalid_request', { extra: { errors } });
}

/** Each unknown member has its own pointer. */
function errorsOf(issue: z.core.$ZodIssue, prefix: string): FieldError[] {
  return issue.code === 'unrecognized_keys'
    ? issue.keys.map(key => ({
        pointer: prefix + pointerTo([...issue.path, key.slice(0, memberCharactersMax)]),
        detail: prefix === '' ? 'is not a field of this request' : 'is not a parameter of this operation',
      }))
    : [{ pointer: prefix + pointerTo(issue.path), detail: issue.message }];
}

const memberCharactersMax = 100;

/** Returns a JSON pointer (RFC 6901). */
function pointerTo(path: readonly PropertyKey[]): string {
  return path.map(step => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
