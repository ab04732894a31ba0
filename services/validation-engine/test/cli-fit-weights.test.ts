import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createTestDatabase } from '@mailproof/dev-house';
import { runCommandLine } from '../src/cli/program.ts';
import { createFakeTerminal } from '../src/cli/testing/fake-terminal.ts';
import { loadValidationConfig } from '../src/config.ts';
import { weights } from '../src/domain/catch-all/weights.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailproof-fit-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(args: readonly string[], environment: Record<string, string> = {}) {
  const terminal = createFakeTerminal({ workingDirectory: folder, environment });
  const exitCode = await runCommandLine(['fit-weights', ...args], terminal);
  return { exitCode, said: terminal.written(), complained: terminal.complained() };
}

/** Addresses of which half exist; an account says little there, contrary to the built-in weights. */
function rows(count: number): { domain: string; exists: boolean; account: boolean }[] {
  return Array.from({ length: count }, (_, index) => ({
    domain: `d${index % 50}.example`,
    exists: index % 2 === 0,
    account: index % 10 < 3,
  }));
}

async function writeJsonLines(name: string, count: number): Promise<void> {
  const lines = rows(count).map(({ domain, exists, account }) =>
    JSON.stringify({
      domain,
      exists,
      observations: [{ source: 'webfinger', finding: account ? 'published' : 'not_published' }],
    }),
  );
  await writeFile(join(folder, name), lines.join('\n'));
}

describe('pnpm fit-weights', () => {
  test('shows what got better on other domains, and writes a file that the engine reads', async () => {
    await writeJsonLines('labeled.jsonl', 2_000);
    const { exitCode, said } = await run(['--from', 'labeled.jsonl', '--write', 'weights.json']);
    expect(exitCode).toBe(0);
    expect(said).toMatch(/^Fitted on \d+ addresses, tested on \d+ addresses of other domains\./);
    const scores = [...said.matchAll(/Brier score ([\d.]+)/g)].map(([, score]) => Number(score));
    expect(scores).toHaveLength(2);
    expect(scores[1]).toBeLessThan(scores[0] ?? 0);
    const file = join(folder, 'weights.json');
    const config = loadValidationConfig({ VALIDATION_WEIGHTS_FILE: file });
    expect(config.VALIDATION_WEIGHTS_FILE).toEqual(JSON.parse(await readFile(file, 'utf8')));
    expect(config.VALIDATION_WEIGHTS_FILE?.version).toMatch(/^fitted-[0-9a-f]{12}$/);
    expect(config.VALIDATION_WEIGHTS_FILE?.prior).toBeCloseTo(0.5, 1);
    expect(weights.version).not.toBe(config.VALIDATION_WEIGHTS_FILE?.version);
  });

  test('reads CSV as it reads JSON lines', async () => {
    await writeJsonLines('same.jsonl', 1_000);
    const lines = rows(1_000).map(
      ({ domain, exists, account }) =>
        `${domain},${exists},webfinger:${account ? 'published' : 'not_published'}`,
    );
    await writeFile(join(folder, 'same.csv'), ['domain,exists,findings', ...lines].join('\r\n'));
    expect((await run(['--from', 'same.csv', '--json'])).said).toBe(
      (await run(['--from', 'same.jsonl', '--json'])).said,
    );
  });

  test.each([
    [
      'an unknown source',
      '{"domain":"a","exists":true,"observations":[{"source":"tea","finding":"published"}]}',
      'tea:published',
    ],
    [
      'an unknown finding',
      '{"domain":"a","exists":true,"observations":[{"source":"smimea","finding":"match"}]}',
      'smimea:match',
    ],
    ['no label', '{"domain":"a","observations":[]}', 'Line 1'],
    ['no JSON', 'domain', 'Line 1 is not valid JSON.'],
  ])('refuses %s, by its line', async (_name, line, words) => {
    await writeFile(join(folder, 'wrong.jsonl'), line);
    const { exitCode, complained } = await run(['--from', 'wrong.jsonl']);
    expect(exitCode).toBe(2);
    expect(complained).toContain(words);
  });

  test.each([
    ['nowhere.jsonl', 'cannot be read'],
    ['labels.txt', '.csv or .jsonl'],
  ])('refuses the file %s', async (name, words) => {
    const { exitCode, complained } = await run(['--from', name]);
    expect([exitCode, complained.includes(words)]).toEqual([2, true]);
  });

  test('says so where too few outcomes are recorded', async () => {
    const database = await createTestDatabase('validation-engine');
    try {
      const { exitCode, complained } = await run([], { DATABASE_URL: database.databaseUrl });
      expect(complained).toContain('Too few addresses with known outcomes: 0 for fitting');
      expect(exitCode).toBe(1);
    } finally {
      await database.drop();
    }
  });

  test('names the setting that it lacks', async () => {
    const { exitCode, complained } = await run([]);
    expect(exitCode).toBe(2);
    expect(complained).toContain('DATABASE_URL');
  });
});
