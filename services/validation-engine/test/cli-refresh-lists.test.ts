import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type MailLab, postfix, startMailLab } from '@mailproof/mail-lab';
import { runCommandLine } from '../src/cli/program.ts';
import type { Terminal } from '../src/cli/terminal.ts';
import { createFakeTerminal } from '../src/cli/testing/fake-terminal.ts';
import { labSettings } from './engine-in-lab.ts';

/** More than half of the size of the packaged list, so that it may replace that list. */
const published = ['# remark', ...Array.from({ length: 6_000 }, (_, index) => `d${index}.example`)].join(
  '\n',
);

let lab: MailLab;
let folder: string;
let listsDir: string;

beforeAll(async () => {
  lab = await startMailLab({
    catalog: [
      {
        domain: 'lists.example',
        story: 'Lists for the engine to fetch.',
        dns: { mx: [[10, 'mx.lists.example']] },
        hosts: { 'mx.lists.example': postfix(['ada']) },
        web: {
          'lists.example': { pages: { '/disposable.txt': published, '/short.txt': 'a.example\n' } },
          'broken.lists.example': { status: 503 },
          'unknown.lists.example': { pages: { '/list.txt': published }, certificate: 'self_signed' },
        },
        expected: [],
      },
    ],
  });
});

afterAll(() => lab?.close());

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailproof-refresh-'));
  listsDir = join(folder, 'lists');
});

afterEach(() => rm(folder, { recursive: true }));

async function refresh(options: string, changes: Partial<Terminal> = {}) {
  const environment = { ...labSettings(lab), VALIDATION_LISTS_DIR: listsDir };
  const terminal = createFakeTerminal({ environment, workingDirectory: folder, ...changes });
  const exitCode = await runCommandLine(['refresh-lists', ...options.split(' ').filter(Boolean)], terminal);
  return { exitCode, written: terminal.written(), complained: terminal.complained() };
}

async function fileWith(text: string): Promise<string> {
  await writeFile(join(folder, 'given.txt'), text);
  return 'given.txt';
}

async function kept(): Promise<readonly string[]> {
  return readdir(listsDir).catch(() => []);
}

describe('pnpm refresh-lists', () => {
  test('fetches a list, tells what changed, and writes it', async () => {
    const { exitCode, written } = await refresh('--disposable https://lists.example/disposable.txt');
    expect(written).toMatch(
      /^ok {7}disposable {2}6000 domains: 6000 added, \d{4} removed; in .*disposable\.txt\n$/,
    );
    expect(exitCode).toBe(0);
    const lines = (await readFile(join(listsDir, 'disposable.txt'), 'utf8')).trim().split('\n');
    expect(lines[0]).toMatch(
      /^# Read by pnpm refresh-lists from https:\/\/lists\.example\/disposable\.txt at \d/,
    );
    expect(lines).toHaveLength(6_001);
    expect(await kept()).toEqual(['disposable.txt']);
  });

  test('keeps no query, which may hold a secret', async () => {
    const { complained } = await refresh('--disposable https://lists.example/disposable.txt?token=secret');
    expect(complained).toContain('https://lists.example/disposable.txt\n');
    expect(await readFile(join(listsDir, 'disposable.txt'), 'utf8')).not.toContain('secret');
  });

  test('compares with the list that it wrote before', async () => {
    await refresh('--disposable https://lists.example/disposable.txt');
    const file = await fileWith(`${published}\nnew.example\n`.replace('d0.example\n', ''));
    const { written } = await refresh(`--disposable ${file}`);
    expect(written).toContain('6000 domains: 1 added, 1 removed;');
  });

  test('gives the engine lists that it works with', async () => {
    await refresh(`--disposable ${await fileWith(`${published}\nlists.example`)}`);
    await refresh(`--roles ${await fileWith('treasurer')} --force`);
    const environment = { ...labSettings(lab), VALIDATION_LISTS_DIR: listsDir };
    const terminal = createFakeTerminal({ environment });
    await runCommandLine(['validate', '--json', 'treasurer@lists.example'], terminal);
    expect(JSON.parse(terminal.written())).toMatchObject({ email_type: 'disposable' });
  });

  test('refuses a list that shrank by more than half, unless it is forced', async () => {
    const first = await refresh('--disposable https://lists.example/short.txt');
    expect(first).toMatchObject({ exitCode: 1, written: expect.stringContaining('less than half') });
    expect(await kept()).toEqual([]);
    const second = await refresh('--disposable https://lists.example/short.txt --force');
    expect(second).toMatchObject({ exitCode: 0, written: expect.stringContaining('1 domains: 1 added') });
    expect(await kept()).toEqual(['disposable.txt']);
  });

  test('writes nothing in a dry run', async () => {
    const { exitCode, written } = await refresh(
      '--disposable https://lists.example/disposable.txt --dry-run',
    );
    expect({ exitCode, written }).toMatchObject({
      exitCode: 0,
      written: expect.stringContaining('nothing written'),
    });
    expect(await kept()).toEqual([]);
  });

  test('accepts the good list if another one is refused', async () => {
    const { exitCode, written } = await refresh(
      `--disposable https://lists.example/disposable.txt --personal ${await fileWith('<html>\n<p>')}`,
    );
    expect(exitCode).toBe(1);
    expect(written).toMatch(/^ok .*\nrefused {2}personal .*is empty/);
    expect(await kept()).toEqual(['disposable.txt']);
  });

  test.each([
    ['https://broken.lists.example/list.txt', /responded with 503/],
    ['https://lists.example/elsewhere.txt', /responded with 404/],
    ['https://nowhere.lists.example/list.txt', /Host nowhere\.lists\.example not found/],
    ['https://unknown.lists.example/list.txt', /an invalid certificate/],
    ['missing.txt', /missing\.txt cannot be read/],
  ])('keeps the list in use where %s cannot be read', async (source, message) => {
    const { exitCode, written } = await refresh(`--disposable ${source}`);
    expect(written).toMatch(message);
    expect(exitCode).toBe(1);
    expect(await kept()).toEqual([]);
  });

  test('does not fetch from addresses of the local network', async () => {
    lab.resetCounts();
    const { VALIDATION_ALLOWED_PRIVATE_RANGES: _ranges, ...settings } = labSettings(lab);
    const environment = {
      ...settings,
      // A lab's ports require an allowed private range; this one is not the lab's.
      VALIDATION_ALLOWED_PRIVATE_RANGES: '10.0.0.0/8',
      VALIDATION_LISTS_DIR: listsDir,
    };
    const { exitCode } = await refresh('--disposable https://lists.example/disposable.txt', { environment });
    expect(exitCode).toBe(1);
    expect(lab.counts().web).toEqual({});
  });

  test('refuses a file that is not text', async () => {
    await writeFile(join(folder, 'list.bin'), Buffer.from([0xff, 0xfe, 0xff]));
    expect(await refresh('--disposable list.bin')).toMatchObject({
      exitCode: 1,
      written: expect.stringContaining('not valid UTF-8'),
    });
  });

  test('says where no folder can be written to', async () => {
    const environment = { ...labSettings(lab), VALIDATION_LISTS_DIR: join(folder, 'given.txt') };
    const file = await fileWith(published);
    expect(await refresh(`--disposable ${file}`, { environment })).toMatchObject({
      exitCode: 1,
      written: expect.stringContaining('Writing failed'),
    });
  });

  test.each([
    ['--disposable http://lists.example/disposable.txt', /--disposable must use https/],
    ['--disposable ftp://lists.example/disposable.txt', /must use https/],
    ['--disposable https://ada:secret@lists.example/', /neither a port nor credentials/],
    ['--roles https://lists.example:8443/', /neither a port nor credentials/],
    ['--role roles.txt', /unknown option/],
  ])('refuses %s', async (options, message) => {
    const { exitCode, complained, written } = await refresh(options);
    expect(complained).toMatch(message);
    expect({ exitCode, written }).toEqual({ exitCode: 2, written: '' });
  });

  test('asks for a folder', async () => {
    const { exitCode, complained } = await refresh('', { environment: labSettings(lab) });
    expect(complained).toContain('VALIDATION_LISTS_DIR');
    expect(exitCode).toBe(2);
  });

  test('ends when it is interrupted', async () => {
    const { exitCode } = await refresh('--disposable https://lists.example/disposable.txt', {
      signal: AbortSignal.abort(),
    });
    expect(exitCode).toBe(130);
    expect(await kept()).toEqual([]);
  });
});
