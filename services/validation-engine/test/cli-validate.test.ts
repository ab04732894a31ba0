import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { catchAllPostfix, type MailLab, postfix, startMailLab } from '@mailproof/mail-lab';
import { runCommandLine } from '../src/cli/program.ts';
import type { Terminal } from '../src/cli/terminal.ts';
import { createFakeScreen, createFakeTerminal } from '../src/cli/testing/fake-terminal.ts';
import { labSettings, until } from './engine-in-lab.ts';

let lab: MailLab;
let folder: string;

beforeAll(async () => {
  lab = await startMailLab({
    catalog: [
      {
        domain: 'ordinary.example',
        story: 'Knows its people.',
        dns: { mx: [[10, 'mx.ordinary.example']] },
        hosts: { 'mx.ordinary.example': postfix(['ada', 'grace']) },
        expected: [],
      },
      {
        domain: 'silent.example',
        story: 'Never says a word.',
        dns: { mx: [[10, 'mx.silent.example']] },
        hosts: { 'mx.silent.example': { ...catchAllPostfix(), silentAfter: 'connect' } },
        expected: [],
      },
    ],
  });
  folder = await mkdtemp(join(tmpdir(), 'mailproof-cli-'));
});

afterAll(async () => {
  await lab?.close();
  await rm(folder, { recursive: true, force: true });
});

async function run(args: readonly string[], changes: Partial<Terminal> = {}) {
  const terminal = createFakeTerminal({
    environment: labSettings(lab),
    workingDirectory: folder,
    ...changes,
  });
  const exitCode = await runCommandLine(['validate', ...args], terminal);
  return { exitCode, written: terminal.written(), complained: terminal.complained() };
}

function linesOf(written: string): Record<string, unknown>[] {
  return written
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Record<string, unknown>)
    .sort((one, other) => Number(one['row']) - Number(other['row']));
}

describe('addresses as arguments', () => {
  test('exit with 0, regardless of their results', async () => {
    const { exitCode, written, complained } = await run(['ada@ordinary.example', 'grace@ordinary.example']);
    expect(exitCode).toBe(0);
    expect(written.split('\n').sort()).toEqual([
      '',
      'ada@ordinary.example    ok                   mailbox_exists',
      'grace@ordinary.example  ok                   mailbox_exists',
    ]);
    expect(complained).toMatch(/^2 addresses in \d+\.\d s: 2 ok\.\n$/);
  });

  test('are described in JSON, with the reason', async () => {
    const { exitCode, written } = await run([
      '--json',
      'ada@ordinary.example',
      'nobody@ordinary.example',
      'not an address',
    ]);
    expect(exitCode).toBe(0);
    const known = {
      mx_domain: 'ordinary.example',
      email_type: 'business',
      mx_secure_email_gateway: false,
      elapsed_ms: expect.any(Number),
    };
    expect(linesOf(written)).toEqual([
      {
        row: 1,
        email: 'ada@ordinary.example',
        result: 'ok',
        valid: true,
        reason: 'mailbox_exists',
        ...known,
      },
      {
        row: 2,
        email: 'nobody@ordinary.example',
        result: 'invalid',
        valid: false,
        reason: 'mailbox_missing',
        ...known,
      },
      {
        row: 3,
        email: 'not an address',
        result: 'invalid',
        valid: false,
        reason: 'syntax',
        message: 'The address has no @ between the local part and the domain.',
        elapsed_ms: 0,
      },
    ]);
  });

  test.each([
    ['invalid', 'nobody@ordinary.example', 1],
    ['catch_all,invalid', 'no address', 1],
    ['catch_all, unknown', 'nobody@ordinary.example', 0],
    ['invalid', 'ada@ordinary.example', 0],
    ['wrong', 'ada@ordinary.example', 2],
    ['', 'ada@ordinary.example', 2],
  ])('with --fail-on %j, %s exits with %i', async (results, address, code) => {
    expect((await run(['--fail-on', results, address])).exitCode).toBe(code);
  });

  test('keep the deadline that is given', async () => {
    const { exitCode, written } = await run(['--json', '--deadline-ms', '4000', 'ada@silent.example']);
    expect(exitCode).toBe(0);
    expect(linesOf(written)[0]).toMatchObject({ result: 'unknown', reason: 'session_timeout' });
    // Without the deadline, a session waits twenty seconds for a greeting.
    expect(linesOf(written)[0]?.['elapsed_ms']).toBeLessThan(15_000);
  });

  test('cannot steer the terminal', async () => {
    const { written } = await run(['\u001b[2Jada', 'b\u202ea']);
    expect(written).toContain('\ufffd[2Jada ');
    expect(written).toContain('b\ufffda ');
  });
});

describe('on a terminal', () => {
  function tty() {
    return Object.assign(createFakeScreen(), { isTTY: true, columns: 80 });
  }

  test('results are colored, and a bar shows the progress', async () => {
    const stdout = tty();
    const stderr = tty();
    await run(['ada@ordinary.example', 'nobody@ordinary.example'], { stdout, stderr });
    expect(stdout.text()).toContain('\u001b[32mok');
    expect(stdout.text()).toContain('\u001b[31minvalid');
    expect(stderr.text()).toContain('[############------------] 1/2');
    expect(stderr.text()).toContain('[########################] 2/2');
  });

  test('NO_COLOR is respected', async () => {
    const stdout = tty();
    await run(['ada@ordinary.example'], { stdout, environment: { ...labSettings(lab), NO_COLOR: '1' } });
    expect(stdout.text()).not.toContain('\u001b');
  });
});

describe('a list', () => {
  const content =
    '\ufeffName;E-Mail\r\n"Lovelace; Ada";ada@ordinary.example\r\nNobody;nobody@ordinary.example\r\n;\r\n';

  test('is read from a file, by the lines of the file', async () => {
    await writeFile(join(folder, 'list.csv'), content);
    const { exitCode, written, complained } = await run(['--file', 'list.csv', '--json']);
    expect(exitCode).toBe(0);
    expect(linesOf(written).map(({ row, email, result }) => [row, email, result])).toEqual([
      [2, 'ada@ordinary.example', 'ok'],
      [3, 'nobody@ordinary.example', 'invalid'],
    ]);
    expect(complained).toContain('list.csv: columns separated by ";"; addresses in column 2, "E-Mail".\n');
    expect(complained).toContain('1 ok, 1 invalid. 1 row has no address.\n');
  });

  test('is read from the standard input, and never counted there', async () => {
    const stderr = Object.assign(createFakeScreen(), { isTTY: true, columns: 80 });
    const stdin = Readable.from([Buffer.from('ada@ordinary.example\ngrace@ordinary.example\n')]);
    const { exitCode } = await run(['--file', '-'], { stdin, stderr });
    expect(exitCode).toBe(0);
    expect(stderr.text()).toContain('Standard input: one column; addresses in column 1, no header.\n');
    expect(stderr.text()).toContain('2 done');
  });

  test('reports a guessed encoding, unless one is given', async () => {
    await writeFile(
      join(folder, 'latin.csv'),
      Buffer.from('Name,E-Mail\nZo\xeb,ada@ordinary.example\n', 'latin1'),
    );
    const guessed = await run(['--file', 'latin.csv']);
    expect(guessed.exitCode).toBe(0);
    expect(guessed.complained).toContain('Read as windows-1252, which is a guess.\n');
    const told = await run(['--file', 'latin.csv', '--encoding', 'windows-1252']);
    expect([told.exitCode, told.complained]).toEqual([0, expect.not.stringContaining('guess')]);
  });

  test('is counted for the bar on a terminal', async () => {
    await writeFile(join(folder, 'watched.csv'), `email\n${'ada@ordinary.example\n'.repeat(30)}`);
    const stderr = Object.assign(createFakeScreen(), { isTTY: true, columns: 80 });
    await run(['--file', 'watched.csv', '--concurrency', '1'], { stderr });
    expect(stderr.text()).toContain('30/30');
  });
});

describe('exits with 2 and a sentence', () => {
  test.each([
    ['nothing to do', [], /Enter an address, or a list/],
    ['both addresses and a list', ['--file', 'list.csv', 'a@b.example'], /not both/],
    ['a column of no list', ['--column', 'email', 'a@b.example'], /--file/],
    ['a list that is missing', ['--file', 'missing.csv'], /^The list cannot be read: ENOENT.*missing\.csv/],
    ['a delimiter of two characters', ['--file', 'list.csv', '--delimiter', ';;'], /one character/],
    [
      'an encoding that is not read',
      ['--file', 'list.csv', '--encoding', 'ebcdic'],
      /Allowed choices are utf-8/,
    ],
    ['an encoding of no list', ['--encoding', 'utf-8', 'a@b.example'], /--file/],
    ['no number', ['--concurrency', 'many', 'a@b.example'], /whole number from 1 to 200/],
    ['an unknown option', ['--quickly', 'a@b.example'], /unknown option/],
  ])('for %s', async (_name, args, sentence) => {
    const { exitCode, written, complained } = await run(args);
    expect([exitCode, written]).toEqual([2, '']);
    expect(complained).toMatch(sentence);
  });

  test('for a list with a header and nothing else', async () => {
    const { exitCode, complained } = await run(['--file', '-'], {
      stdin: Readable.from([Buffer.from('email\n')]),
    });
    expect(exitCode).toBe(2);
    expect(complained).toContain('The list contains no addresses.\n');
  });

  test('for a wrong setting', async () => {
    const { exitCode, complained } = await run(['a@b.example'], {
      environment: { VALIDATION_DNS_SERVERS: 'dns.example' },
    });
    expect(exitCode).toBe(2);
    expect(complained).toContain('VALIDATION_DNS_SERVERS');
  });
});

test('--help tells the exit codes', async () => {
  const { exitCode, written } = await run(['--help']);
  expect(exitCode).toBe(0);
  expect(written).toMatch(/130 {2}interrupted/);
});

describe('as a process', () => {
  function start(args: readonly string[]): ChildProcess {
    const entry = join(import.meta.dirname, '../src/cli/main.ts');
    return spawn(process.execPath, [entry, 'validate', ...args], {
      env: { ...labSettings(lab) },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  }

  test('ends cleanly with a summary when interrupted during a session', async () => {
    lab.resetCounts();
    const child = start(['ada@ordinary.example', 'ada@silent.example']);
    const said = [child.stdout, child.stderr].map(stream => (stream === null ? '' : text(stream)));
    await until(() => lab.counts().smtp['mx.silent.example']?.sessionsOpen === 1);
    await until(() => lab.counts().smtp['mx.ordinary.example']?.sessionsOpen === 0);
    child.kill('SIGINT');
    const [code] = (await once(child, 'exit')) as [number | null];
    expect(code).toBe(130);
    const [written, complained] = await Promise.all(said);
    expect(written).toMatch(/^ada@ordinary\.example .*mailbox_exists\n$/);
    expect(complained).toMatch(/^Interrupted after 1 address in \d+\.\d s: 1 ok\.\n$/);
    await until(() => lab.counts().smtp['mx.silent.example']?.sessionsOpen === 0);
  });

  test('ends when interrupted while it waits for the rest of the list', async () => {
    const child = start(['--file', '-']);
    // More rows and, with the empty lines, more characters than are examined before the first address.
    const addresses = 250;
    child.stdin?.write(`email\n${'ada@ordinary.example\n'.repeat(addresses)}${'\n'.repeat(70_000)}`);
    let written = '';
    child.stdout?.on('data', octets => {
      written += String(octets);
    });
    await until(() => written.split('\n').length === addresses + 1);
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    expect(await ended).toEqual([130, null]);
  });

  test('ends when its output is closed', async () => {
    const child = start(['--file', '-', '--concurrency', '1']);
    child.stdin?.on('error', () => undefined);
    child.stdin?.write(`email\n${'ada@ordinary.example\n'.repeat(5_000)}`);
    const ended = once(child, 'exit');
    child.stdout?.once('data', () => child.stdout?.destroy());
    const [code] = (await ended) as [number | null];
    expect(code).toBe(130);
  });
});
