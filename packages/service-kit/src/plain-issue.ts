import type { z } from 'zod';

type RawIssue = z.core.$ZodRawIssue;

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

const formats: Readonly<Record<string, string>> = {
  date: 'a date such as 2026-11-27',
  datetime: 'a time in UTC such as 2026-11-27T10:00:00Z',
  url: 'a URL',
  uuid: 'a UUID',
  base64: 'base64',
};

/**
 * Says in plain words what a value must be, such as `must be a whole number`. It is the error map of
 * zod's `safeParse`, so a schema's own messages, which have the same form, come before it. It never repeats
 * the value, which may be a secret.
 */
export function plainIssue(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? 'is missing' : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return mustBeOneOf(issue.values);
    case 'invalid_format':
      return `must ${issue.format in formats ? `be ${formats[issue.format]}` : 'have the form that the reference shows'}`;
    case 'too_small':
      return bounded(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return bounded(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'unrecognized_keys':
      return `must not have ${issue.keys.map(key => `“${key.slice(0, 100)}”`).join(', ')}`;
    case 'invalid_union':
      return ofUnion(issue);
    default:
      return undefined;
  }
}

function mustBeOneOf(values: readonly unknown[]): string {
  const [first, ...others] = values.map(value => (typeof value === 'string' ? value : JSON.stringify(value)));
  return others.length === 0 ? `must be ${first}` : `must be one of ${[first, ...others].join(', ')}`;
}

function bounded(origin: string, comparison: string, bound: number | bigint): string {
  const unit = { string: 'character', array: 'item', set: 'item', map: 'member', object: 'member' }[origin];
  return unit === undefined
    ? `must be ${comparison} ${bound}`
    : `must have ${comparison} ${bound} ${unit}${Number(bound) === 1 ? '' : 's'}`;
}

/** A union with a discriminator names its values; the others say what each form asks of the value itself. */
function ofUnion(issue: Extract<RawIssue, { code: 'invalid_union' }>): string {
  if (Array.isArray(issue['options'])) {
    return mustBeOneOf(issue['options']);
  }
  const forms = issue.errors.map(([first]) => (first?.path.length === 0 ? first.message : undefined));
  return forms.length > 0 && forms.every(form => form?.startsWith('must be '))
    ? [...new Set(forms)].join(' or ').replaceAll(' or must be ', ' or ')
    : 'has none of the forms that the reference shows';
}
