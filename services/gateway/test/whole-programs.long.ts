import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { providePythonTools } from '@mailproof/dev-house';
import { type BenchHouse, openBenchHouse } from '../bench/jobs/bench-house.ts';
import { makeLists } from '../bench/jobs/job-list.ts';
import type { Customer } from './house.ts';
import { installPythonSdk, installTypeScriptSdk } from './installed-sdks.ts';
import { openPeopleStore, type PeopleStore } from './people-store.ts';
import { runWholeProgram } from './whole-programs.ts';

/** Runs the program with nothing but a key on 50,000 rows with as many addresses, from the packed SDKs. */

const run = promisify(execFile);
const size = 50_000;
const people = 100;
const timeoutMs = 20 * 60_000;

/** Every hundredth row of the benchmark's list is odd; its plain rows are the list of this test. */
const { catalog, list } = makeLists(size + 2_000, 0);
const rows = list.rows
  .map(({ cells: [, , email = ''], result }) => ({ email, result }))
  .filter(({ email }) => email.includes('@') && email === email.toLowerCase())
  .slice(0, size);

let running: BenchHouse;
let store: PeopleStore;
let customer: Customer;
const folders: string[] = [];

beforeAll(async () => {
  running = await openBenchHouse(catalog, '', new AbortController().signal);
  store = await openPeopleStore(running.test);
  customer = await running.test.open({ credits: 3 * size, requestsPerSecond: 100 });
}, timeoutMs);

afterAll(async () => {
  await store?.close();
  await running?.stop();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  folders.push(await realpath(await mkdtemp(join(tmpdir(), 'mailproof-whole-'))));
  return folders.at(-1) ?? '';
}

async function runsAll(folder: string, program: string, ending: string): Promise<void> {
  expect(rows).toHaveLength(size);
  const domain = await store.add(people);
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    MAILPROOF_URL: running.house.gatewayUrls[0] ?? '',
    MAILPROOF_API_KEY: customer.apiKey,
  };
  const startedAt = performance.now();
  const start = async (name: string, ...args: readonly string[]) => {
    const { stdout } = await run(program, [`${name}.${ending}`, ...args], { cwd: folder, env });
    return stdout.trim().split('\n');
  };
  await runWholeProgram({ folder, start }, customer, { rows, domain, people });
  const seconds = (performance.now() - startedAt) / 1_000;
  process.stdout.write(`${size} rows with the ${ending} program: ${seconds.toFixed(1)} s\n`);
}

it(
  'uploads 50,000 rows, is told that they are done, downloads them, and exports a people run, in TypeScript',
  async () => {
    const folder = await newFolder();
    await installTypeScriptSdk(folder);
    await runsAll(folder, process.execPath, 'ts');
  },
  timeoutMs,
);

it(
  'does the same in Python',
  async () => {
    const folder = await newFolder();
    const tools = providePythonTools(line => process.stdout.write(`${line}\n`));
    await runsAll(folder, await installPythonSdk(folder, tools), 'py');
  },
  timeoutMs,
);
