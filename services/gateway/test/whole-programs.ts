import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { projectRoot } from '@mailproof/dev-house';
import { parse } from 'csv-parse/sync';
import type { Customer } from './house.ts';

/** The program with nothing but a key, in each language. */
export const wholePrograms = {
  ts: 'packages/sdk-typescript/test/whole-program.ts',
  py: 'sdks/python/tests/whole_program.py',
} as const;

/** A folder into which an SDK is installed. */
interface Installed {
  readonly folder: string;
  readonly start: (name: string, ...args: readonly string[]) => Promise<string[]>;
}

interface WholeTask {
  readonly rows: readonly { readonly email: string; readonly result: string }[];
  /** A company with the people to find. */
  readonly domain: string;
  readonly people: number;
}

/**
 * Runs the whole program, and checks every row and person of its files, its charge, and that it needed no poll: it ends
 * only if each event reaches it.
 */
export async function runWholeProgram(
  { folder, start }: Installed,
  customer: Customer,
  { rows, domain, people }: WholeTask,
): Promise<void> {
  for (const [ending, path] of Object.entries(wholePrograms)) {
    await copyFile(join(projectRoot, path), join(folder, `whole.${ending}`));
  }
  const lines = rows.map(({ email }, at) => `${at + 1},${email}`);
  await writeFile(join(folder, 'whole.csv'), `id,email\n${lines.join('\n')}\n`);
  const before = await customer.credits();
  const addresses = new Map(rows.map(({ email, result }) => [email, result]));
  const printed = await start('whole', 'whole.csv', domain, String(people));
  expect(printed).toEqual([
    `job succeeded: ${rows.length} rows, ${addresses.size} of ${addresses.size} addresses`,
    `run succeeded: ${people} people`,
  ]);
  const read = async (file: string) =>
    parse(await readFile(join(folder, file)), { columns: true }) as Record<string, string>[];
  const validated = await read('validated.csv');
  const got = validated.map(row => [row['id'], row['email'], row['result_status']].join());
  expect(got.length).toBe(rows.length);
  const reasons = await reasonsOfUnknown(customer);
  const wrong = rows.flatMap(({ email, result }, at) => {
    const wanted = `${at + 1},${email},${result}`;
    return got[at] === wanted ? [] : [{ wanted, got: got[at], reason: reasons.get(email) }];
  });
  expect(wrong).toEqual([]);
  expect(await read('people.csv')).toHaveLength(people);
  const charged = [...addresses.values()].filter(result => result !== 'unknown').length;
  expect(before - (await customer.credits())).toBe(charged + people);
}

interface JobRow {
  readonly email: string;
  readonly verdict: { readonly reason: string };
}

/** Why addresses of the newest job are unknown, for the message of a test that expects other results. */
async function reasonsOfUnknown(customer: Customer): Promise<ReadonlyMap<string, string>> {
  const { body } = await customer.get('/validation-jobs?limit=1');
  const [{ job_id: job }] = body['jobs'] as [{ job_id: string }];
  const unknown = await customer.get(`/validation-jobs/${job}/rows?result=unknown&limit=100`);
  return new Map((unknown.body['rows'] as JobRow[]).map(({ email, verdict }) => [email, verdict.reason]));
}
