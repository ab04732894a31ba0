import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import { ConfigError } from '@mailproof/service-kit';
import { createProgram } from '../src/ops/program.ts';

let database: TestDatabase;
let said: string[];

beforeAll(async () => {
  database = await createTestDatabase('validation-engine');
});

afterAll(() => database.drop());

beforeEach(() => {
  said = [];
});

async function run(...args: string[]): Promise<string[]> {
  const program = createProgram({ DATABASE_URL: database.databaseUrl }, line => void said.push(line));
  for (const command of [program, ...program.commands, ...program.commands.flatMap(sub => sub.commands)]) {
    command.exitOverride().configureOutput({ writeErr: () => undefined });
  }
  await program.parseAsync(['do-not-probe', ...args], { from: 'user' });
  return said.splice(0);
}

test('an operator lists names, sees them, and takes them off again', async () => {
  expect(await run('add', 'Bücher.example', '--note', 'Asked by telephone.')).toEqual([
    'Listed xn--bcher-kva.example.',
  ]);
  expect(await run('add', 'bücher.example')).toEqual(['xn--bcher-kva.example is already listed.']);
  expect(await run('add', 'mx.provider.example', '--scope', 'mail_host')).toEqual([
    'Listed mx.provider.example.',
  ]);
  const [first, second] = await run('list');
  expect(first?.split('\t')).toEqual(['mx.provider.example', 'mail_host', 'operator', expect.any(String)]);
  expect(second?.split('\t').at(-1)).toBe('Asked by telephone.');
  expect(JSON.parse((await run('list', '--json')).join(''))).toMatchObject([
    { name: 'mx.provider.example', scope: 'mail_host', origin: 'operator' },
    { name: 'xn--bcher-kva.example', note: 'Asked by telephone.' },
  ]);
  await expect(run('remove', 'mx.provider.example')).rejects.toThrow(
    'mx.provider.example with the scope domain is not listed.',
  );
  expect(await run('remove', 'mx.provider.example', '--scope', 'mail_host')).toEqual([
    'Removed mx.provider.example.',
  ]);
});

test('what is no domain name, no scope or too long a note is refused', async () => {
  await expect(run('add', 'no domain')).rejects.toThrow(/white space/);
  await expect(run('add', 'company.example', '--scope', 'planet')).rejects.toThrow(/Allowed choices/);
  await expect(run('add', 'company.example', '--note', 'x'.repeat(501))).rejects.toThrow(/1 to 500/);
  expect(await run('list')).toHaveLength(1);
});

test('a missing database address is named', async () => {
  await expect(createProgram({}).parseAsync(['do-not-probe', 'list'], { from: 'user' })).rejects.toThrow(
    ConfigError,
  );
});
