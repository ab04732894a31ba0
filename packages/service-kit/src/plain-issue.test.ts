import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { problemOfIssues } from './http/problem-of.ts';
import { plainIssue } from './plain-issue.ts';

/** What a client is told about a value that the schema refuses. */
function toldOf(schema: z.ZodType, value: unknown, prefix = ''): string | undefined {
  const { error } = z.safeParse(schema, value, { error: plainIssue });
  return error && problemOfIssues(error, prefix).detail;
}

const page = z.strictObject({ limit: z.coerce.number().int().min(1).max(100).optional() });
const forms = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('job') }),
  z.object({ kind: z.literal('list') }),
]);

it.each<[string, z.ZodType, unknown, string]>([
  ['a missing field', z.strictObject({ email: z.string() }), {}, '/email: is missing.'],
  ['text of another type', z.strictObject({ email: z.string() }), { email: 5 }, '/email: must be text.'],
  ['a fraction', z.strictObject({ n: z.int() }), { n: 0.5 }, '/n: must be a whole number.'],
  ['another body', z.strictObject({}), ['x'], 'The body must be an object.'],
  ['an unknown value', z.strictObject({ s: z.enum(['a', 'b']) }), { s: 'c' }, '/s: must be one of a, b.'],
  ['an unknown kind', z.strictObject({ of: forms }), { of: {} }, '/of/kind: must be one of job, list.'],
  [
    'an empty list',
    z.strictObject({ l: z.array(z.int()).min(1) }),
    { l: [] },
    '/l: must have at least 1 item.',
  ],
  [
    'a long text',
    z.strictObject({ t: z.string().max(2) }),
    { t: 'abc' },
    '/t: must have at most 2 characters.',
  ],
  [
    'no form of two',
    z.strictObject({ v: z.union([z.string(), z.int()]) }),
    { v: true },
    '/v: must be text or a number.',
  ],
  [
    'no time',
    z.strictObject({ at: z.iso.datetime() }),
    { at: 'now' },
    '/at: must be a time in UTC such as 2026-11-27T10:00:00Z.',
  ],
])('says what to send instead of %s', (_, schema, value, told) => {
  expect(toldOf(schema, value)).toBe(told);
});

it('names parameters, and points at each unknown one', () => {
  expect(toldOf(page, { limit: 'many' }, '?')).toBe('Query parameter limit: must be a number.');
  expect(toldOf(page, { limt: '5', 'o/d': '1' }, '?')).toBe(
    'Query parameter limt: is not a parameter of this operation; Query parameter o~1d: is not a parameter of this operation.',
  );
  expect(toldOf(page, { mail: 'x' })).toBe('/mail: is not a field of this request.');
});

it('keeps the words of a schema, and bounds the name that a client sent', () => {
  expect(toldOf(z.strictObject({ d: z.string().regex(/^a/, 'must be a domain') }), { d: 'b' })).toBe(
    '/d: must be a domain.',
  );
  expect(toldOf(page, { ['x'.repeat(10_000)]: '1' })?.length).toBeLessThan(200);
});

it('never repeats a value, which may be a secret', () => {
  const schema = z.strictObject({ key: z.int(), list: z.array(z.url()) });
  expect(toldOf(schema, { key: 'secret', list: ['secret'] })).not.toContain('secret');
});
