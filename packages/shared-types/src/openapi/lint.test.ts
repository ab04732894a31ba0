import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { buildAppDocument, buildRestDocument } from './document.ts';

/** Checks both documents with Redocly's linter, as a client that generates code or a portal from them would. */

const program = join(
  dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')),
  'bin/cli.js',
);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailproof-lint-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function problemsOf(document: object): Promise<unknown[]> {
  const file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
  const args = [program, 'lint', file, '--extends', 'recommended', '--format', 'json'];
  // It reports nothing about us, and asks no server for a newer version of itself.
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const run = promisify(execFile)(process.execPath, args, { cwd: folder, env, maxBuffer: 50_000_000 });
  const { stdout } = await run.catch((failed: { stdout: string }) => failed);
  return (JSON.parse(stdout) as { problems: unknown[] }).problems;
}

it.each([
  ['REST API', buildRestDocument],
  ['application', buildAppDocument],
])('the document of the %s has no error and no warning', async (_name, build) => {
  expect(await problemsOf(build())).toEqual([]);
});

it('finds an operation without an answer', async () => {
  const document = { ...buildRestDocument(), paths: { '/broken': { get: { summary: 'Broken' } } } };
  expect(JSON.stringify(await problemsOf(document))).toContain('responses');
});
