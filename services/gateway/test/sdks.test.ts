import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  packPythonSdk,
  packTypescriptSdk,
  projectRoot,
  providePythonTools,
  pythonSdkFolder,
  pythonSdkObstacle,
} from '@mailproof/dev-house';
import { Webhook } from 'standardwebhooks';
import type { Customer } from './house.ts';
import { blocksOf } from './page-commands.ts';
import { openPeopleHouse, type PeopleHouse } from './people-store.ts';

/** Packs both SDKs, installs each into an empty folder, and runs the programs of its README with nothing but a key. */

const run = promisify(execFile);
const people = 8;
const list =
  'Name,E-mail\nAda,ada@ordinary.example\nNobody,nobody@ordinary.example\nAda,ADA@ordinary.example\n';
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const body = '{"email":"ada@ordinary.example"}';

let opening: PeopleHouse;
let customer: Customer;

beforeAll(async () => {
  opening = await openPeopleHouse(people);
  customer = await opening.test.open({ credits: 100, requestsPerSecond: 1_000 });
});

afterAll(() => opening?.stop());

/** The programs of a README, by the name in their first line, in a new folder with a list. */
async function programsOf(readme: string, language: string) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'mailproof-sdk-')));
  const programs = blocksOf(await readFile(join(projectRoot, readme), 'utf8'), language);
  const names = programs.map(program => /^(?:\/\/|#) (\w+\.\w+):/.exec(program)?.[1] ?? '');
  expect(names.map(name => name.split('.')[0])).toEqual(['validate', 'list', 'people', 'receiver']);
  for (const [at, name] of names.entries()) await writeFile(join(folder, name), programs[at] ?? '');
  await writeFile(join(folder, 'list.csv'), list);
  return { folder, names };
}

async function start(folder: string, program: string, ...args: readonly string[]) {
  const env = {
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    MAILPROOF_URL: opening.test.house.gatewayUrls[0] ?? '',
    MAILPROOF_API_KEY: customer.apiKey,
  };
  const { stdout } = await run(program, args, { cwd: folder, env, timeout: 120_000 });
  return stdout.trim().split('\n');
}

/** Signs a webhook as Mailproof does. */
function signed(): Record<string, string> {
  const now = new Date();
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('msg_1', now, body),
  };
}

interface Installed {
  readonly folder: string;
  /** Runs a program of the README. */
  readonly start: (name: string, ...args: readonly string[]) => Promise<string[]>;
}

/** What every SDK does, with the account of the test. */
function doesEverything(installed: () => Installed) {
  it('validates an address, and tells a refused one with its remedy', async () => {
    const before = await customer.credits();
    expect(await installed().start('validate', 'ada@ordinary.example')).toEqual(['ada@ordinary.example ok']);
    expect(await customer.credits()).toBe(before - 1);
    await expect(installed().start('validate', 'ada')).rejects.toMatchObject({
      stderr: expect.stringMatching(
        /^invalid_email_address: .+\n.*You are not charged\. \(request req_\w+\)/,
      ),
    });
  });

  it('uploads a list, waits, and downloads the file', async () => {
    const before = await customer.credits();
    const lines = await installed().start('list', 'list.csv');
    expect(lines.slice(-3)).toEqual([
      'succeeded: 2 of 2',
      'spent 2, returned 0',
      'invalid: nobody@ordinary.example',
    ]);
    const file = await readFile(join(installed().folder, 'results.csv'), 'utf8');
    expect(file.split('\r\n').map(line => line.split(',').slice(0, 3).join())).toEqual([
      'Name,E-mail,email',
      'Ada,ada@ordinary.example,ada@ordinary.example',
      'Nobody,nobody@ordinary.example,nobody@ordinary.example',
      expect.stringMatching(/^Ada,ADA@ordinary.example,/),
      '',
    ]);
    expect(await customer.credits()).toBe(before - 2);
  });

  it('runs a people search, and exports what it found', async () => {
    // A company for each SDK: people who are saved already are not delivered again.
    const lines = await installed().start('people', await opening.store.add(people));
    expect(lines[0]).toBe('succeeded: 5 people');
    expect(lines.filter(line => /Person \d{6}/.test(line))).toHaveLength(5);
  });
}

describe('the TypeScript SDK, from its tarball', () => {
  let installed: Installed;
  let names: string[];

  beforeAll(async () => {
    const made = await programsOf('packages/sdk-typescript/README.md', 'ts');
    const { folder } = made;
    names = made.names;
    await mkdir(join(folder, 'packed'));
    await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
    const tarball = packTypescriptSdk(join(folder, 'packed'));
    const sources = await dependenciesOf(join(projectRoot, 'packages/sdk-typescript'));
    const copies = sources.map((_, at) => join(folder, 'copies', String(at)));
    // pnpm links files with the same content to each other; npm packs a link in their place, and then loses it.
    for (const [at, copy] of copies.entries()) await cp(sources[at] ?? '', copy, { recursive: true });
    const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', join(folder, 'packed')];
    const { stdout } = await run('npm', [...pack, ...copies], { cwd: folder });
    const packed = stdout
      .trim()
      .split('\n')
      .map(name => `./packed/${name}`);
    // The dependencies come from tarballs too, because tests use no registry; their versions must fit.
    const install = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', [...install, tarball, ...packed], { cwd: folder });
    installed = {
      folder,
      start: (name, ...args) => start(folder, process.execPath, `${name}.ts`, ...args),
    };
  }, 180_000);

  afterAll(() => rm(installed?.folder ?? '', { recursive: true, force: true }));

  doesEverything(() => installed);

  it('has types that a strict compiler accepts', async () => {
    const { folder } = installed;
    await mkdir(join(folder, 'node_modules/@types'));
    const types = join(projectRoot, 'node_modules/@types/node');
    await symlink(types, join(folder, 'node_modules/@types/node'));
    const strict = ['--strict', '--noEmit', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];
    const modern = ['--target', 'es2022', '--module', 'nodenext', '--types', 'node'];
    // The line is an error if the types let anything pass.
    const wrong = `import { Mailproof } from '@mailproof/sdk';
      const mailproof = new Mailproof({ baseUrl: '', apiKey: '' });
      // @ts-expect-error: a field of another name.
      mailproof.send('post', '/validate-single-email', { body: { mail: '' } });`;
    await writeFile(join(folder, 'wrong.ts'), wrong);
    const tsc = join(projectRoot, 'node_modules/.bin/tsc');
    await run(tsc, [...strict, ...modern, ...names, 'wrong.ts'], { cwd: folder });
  });

  it('verifies webhooks', async () => {
    const program = `import { receive } from './receiver.ts';
      const [, , body, headers, secret] = process.argv;
      for (const sent of [body, body, body + ' ']) {
        const request = new Request('http://receiver.example', { method: 'POST', body: sent, headers: JSON.parse(headers) });
        console.log((await receive(request, secret)).status);
      }`;
    await writeFile(join(installed.folder, 'received.ts'), program);
    const lines = await installed.start('received', body, JSON.stringify(signed()), secret);
    expect(lines).toEqual(["1 { email: 'ada@ordinary.example' }", '204', '204', '401']);
  });
});

/** The folders of the packages that a package needs, as pnpm has installed them. */
async function dependenciesOf(folder: string, found = new Set<string>()): Promise<string[]> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    const beside = folder.includes('.pnpm') ? folder.slice(0, folder.lastIndexOf('node_modules')) : folder;
    const path = await realpath(join(beside, 'node_modules', name));
    if (!found.has(path)) await dependenciesOf(path, found.add(path));
  }
  return [...found];
}

const obstacle = pythonSdkObstacle();
if (obstacle !== undefined) process.stdout.write(`${obstacle}\n`);

// In continuous integration, a missing Python is a failure.
(obstacle === undefined || process.env['CI'] ? describe : describe.skip)(
  'the Python SDK, from its wheel',
  () => {
    let installed: Installed & { readonly python: string };
    let names: string[];
    let tools: ReturnType<typeof providePythonTools>;

    beforeAll(async () => {
      const made = await programsOf('sdks/python/README.md', 'python');
      const { folder } = made;
      names = made.names;
      await mkdir(join(folder, 'packed'));
      tools = providePythonTools(line => process.stdout.write(`${line}\n`));
      const wheel = packPythonSdk(tools, join(folder, 'packed'));
      const python = join(folder, 'venv/bin/python3');
      await run(tools.python, ['-m', 'venv', '--without-pip', join(folder, 'venv')]);
      const install = ['install', '--quiet', '--disable-pip-version-check', '--no-index'];
      await run(tools.python, [
        ...['-m', 'pip', '--python', python, ...install, '--find-links', tools.wheels, wheel],
      ]);
      installed = { folder, python, start: (name, ...args) => start(folder, python, `${name}.py`, ...args) };
    }, 300_000);

    afterAll(() => rm(installed?.folder ?? '', { recursive: true, force: true }));

    doesEverything(() => installed);

    it('has types that a strict checker accepts', async () => {
      const { folder } = installed;
      // An ignored error that does not occur is an error.
      const wrong =
        'from mailproof import api\napi.validate_single_email(body="ada")  # type: ignore[arg-type]\n';
      await writeFile(join(folder, 'wrong.py'), wrong);
      const args = ['-m', 'mypy', '--strict', '--python-executable', join(folder, 'venv/bin/python3')];
      await run(tools.python, [...args, ...names, 'wrong.py'], { cwd: folder });
      const own = ['client', 'async_client', 'attempts', 'errors', 'lists', 'operation', 'webhooks'];
      await run(tools.python, [...args, ...own.flatMap(name => ['-m', `mailproof.${name}`])], {
        cwd: folder,
      });
    });

    it('is formatted, and a linter finds no fault', async () => {
      await run(tools.python, ['-m', 'ruff', 'format', '--check', pythonSdkFolder]);
      await run(tools.python, ['-m', 'ruff', 'check', pythonSdkFolder]);
    });

    it('passes its own tests, with both clients', async () => {
      const options = { cwd: join(pythonSdkFolder, 'tests'), env: { PYTHONDONTWRITEBYTECODE: '1' } };
      const suites = ['Clients', 'AsyncClients'].map(async suite => {
        const args = ['-W', 'error', '-m', 'unittest', `test_clients.${suite}`];
        const { stderr } = await run(installed.python, args, options);
        expect(stderr).toMatch(/Ran \d\d tests in .*\n\nOK/);
      });
      await Promise.all(suites);
    });

    it('verifies webhooks', async () => {
      const program = `import json, sys
from receiver import receive
body, headers, secret = sys.argv[1:]
for sent in (body, body, body + " "):
    print(receive(sent.encode(), json.loads(headers), secret))`;
      await writeFile(join(installed.folder, 'received.py'), program);
      const lines = await installed.start('received', body, JSON.stringify(signed()), secret);
      expect(lines).toEqual(["1 {'email': 'ada@ordinary.example'}", '204', '204', '401']);
    });
  },
);
