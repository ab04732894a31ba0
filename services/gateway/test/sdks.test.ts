import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  packedReadme,
  projectRoot,
  providePythonTools,
  pythonSdkFolder,
  pythonSdkObstacle,
} from '@mailproof/dev-house';
import { type CodeSample, withCodeSamples } from '@mailproof/docs-site/code-samples';
import { buildRestDocument, keyScopeNames } from '@mailproof/shared-types';
import { Webhook } from 'standardwebhooks';
import type { Customer } from './house.ts';
import { installPythonSdk, installTypeScriptSdk } from './installed-sdks.ts';
import { blocksOf } from './page-commands.ts';
import { openPeopleHouse, type PeopleHouse } from './people-store.ts';
import { newKey } from './sandbox-accounts.ts';
import { runWholeProgram } from './whole-programs.ts';

/**
 * Packs both SDKs and the command line, installs them into empty folders, and runs the programs and commands of their
 * READMEs with nothing but a key.
 */

const run = promisify(execFile);
const people = 8;
/** Rows of the list of the whole program; `pnpm test:whole-programs` takes 50,000. */
const rows = 2_000;
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

const environment = () => ({
  PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
  MAILPROOF_URL: opening.test.house.gatewayUrls[0] ?? '',
  MAILPROOF_API_KEY: customer.apiKey,
});

async function start(folder: string, program: string, ...args: readonly string[]) {
  const env = environment();
  const { stdout } = await run(program, args, { cwd: folder, env, timeout: 120_000 });
  return stdout.trim().split('\n');
}

/** Writes the examples that the API reference shows in a language, each as a program, and returns their names. */
async function writeSamples(folder: string, lang: string, extension: string): Promise<string[]> {
  const operations = Object.values(withCodeSamples(buildRestDocument(), 'key').paths ?? {}).flatMap(
    each => Object.values(each) as { operationId?: string; 'x-codeSamples'?: CodeSample[] }[],
  );
  const names: string[] = [];
  for (const { operationId = '', 'x-codeSamples': samples = [] } of operations) {
    const sample = samples.find(each => each.lang === lang);
    if (!sample) continue;
    names.push(`sample_${operationId.replaceAll('-', '_')}.${extension}`);
    await writeFile(join(folder, names.at(-1) ?? ''), `${sample.source}\n`);
  }
  expect(names.length).toBeGreaterThan(90);
  return names;
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
  /** Runs a program of the README, or another one in the folder. */
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

  it('uploads rows, is told by webhook that they are done, downloads them, and exports a people run', async () => {
    const addresses = ['ada', 'grace', 'info', 'nobody'].map(name => `${name}@ordinary.example`);
    const made = Array.from({ length: rows }, (_, at) => ({
      email: addresses[at % addresses.length] ?? '',
      result: at % addresses.length === 3 ? 'invalid' : 'ok',
    }));
    const domain = await opening.store.add(people);
    await runWholeProgram(installed(), customer, { rows: made, domain, people });
  });
}

describe('the TypeScript SDK, from its tarball', () => {
  let installed: Installed;
  let names: string[];

  beforeAll(async () => {
    const made = await programsOf('packages/sdk-typescript/README.md', 'ts');
    const { folder } = made;
    names = made.names;
    await installTypeScriptSdk(folder);
    installed = {
      folder,
      start: (name, ...args) => start(folder, process.execPath, `${name}.ts`, ...args),
    };
  }, 180_000);

  afterAll(() => rm(installed?.folder ?? '', { recursive: true, force: true }));

  doesEverything(() => installed);

  it('has types that a strict compiler accepts, in its programs and in the examples of the reference', async () => {
    const { folder } = installed;
    await mkdir(join(folder, 'node_modules/@types'));
    const types = join(projectRoot, 'node_modules/@types/node');
    await symlink(types, join(folder, 'node_modules/@types/node'));
    const strict = ['--strict', '--noEmit', '--noUncheckedIndexedAccess', '--exactOptionalPropertyTypes'];
    const modern = ['--target', 'es2022', '--module', 'nodenext', '--types', 'node'];
    // The line is an error if the types let anything pass.
    const wrong = `import { Mailproof, verifyWebhook } from '@mailproof/sdk';
      const mailproof = new Mailproof({ baseUrl: '', apiKey: '' });
      // @ts-expect-error: a field of another name.
      mailproof.send('post', '/validate-single-email', { body: { mail: '' } });
      const event = verifyWebhook('', {}, '');
      if (event.type === 'export.finished') console.log(event.data.export_id.length);
      // @ts-expect-error: a field of another event.
      if (event.type === 'credits.low') console.log(event.data.export_id);`;
    await writeFile(join(folder, 'wrong.ts'), wrong);
    const tsc = join(projectRoot, 'node_modules/.bin/tsc');
    const samples = await writeSamples(folder, 'typescript', 'ts');
    await run(tsc, [...strict, ...modern, ...names, ...samples, 'wrong.ts'], { cwd: folder });
  });

  it('and the command line come with the README for a registry', async () => {
    for (const [name, source] of [
      ['sdk', 'packages/sdk-typescript'],
      ['cli', 'packages/cli'],
    ] as const) {
      const readme = join(installed.folder, 'node_modules/@mailproof', name, 'README.md');
      expect(await readFile(readme, 'utf8')).toBe(packedReadme(source));
    }
  });

  it('comes with a command line that does what its page shows, resumes, and says how it ended', async () => {
    const { folder } = installed;
    const page = await readFile(join(projectRoot, 'packages/cli/README.md'), 'utf8');
    const [named = ''] = /A \[named key\].*$/m.exec(page) ?? [];
    const owner = await (await opening.test.owner({ accountId: customer.accountId })).signIn();
    const scopes = keyScopeNames.filter(scope => named.includes(`\`${scope}\``));
    const { apiKey } = await newKey(opening.test, owner, 'live', scopes);
    const command = (line: string) => {
      const asUser = `MAILPROOF_API_KEY=${apiKey} node_modules/.bin/${line} 2>&1; echo "exit code $?"`;
      return start(folder, 'sh', '-c', asUser);
    };
    const shown = blocksOf(page, 'console').map(block => block.trim().split('\n'));
    expect(shown).toHaveLength(2);
    for (const [line = '', ...output] of shown) {
      const printed = await command(line.replace('$ ', ''));
      // A job this small may end before or after its first progress is read.
      const isSteady = (each: string) => !/^(ready|queued|running): /.test(each);
      const paths = (each: string) => each.replace(`${folder}/`, '');
      expect(printed.filter(isSteady).map(paths)).toEqual([...output, 'exit code 0']);
    }
    const [header] = (await readFile(join(folder, 'list.validated.csv'), 'utf8')).split('\r\n');
    expect(header).toMatch(/^Name,E-mail,email,/);
    expect(await command('mailproof validate nobody@ordinary.example --fail-on invalid')).toContain(
      'exit code 3',
    );
    expect(await command('mailproof validate list.csv --yes')).toEqual([
      expect.stringContaining('Use --force to overwrite it'),
      'exit code 2',
    ]);
    expect(await command('mailproof --key mp_live_wrong credits')).toEqual([
      expect.stringMatching(/^401 invalid_api_key: .*\(request req_/),
      'exit code 1',
    ]);
    expect(await command('mailproof credits')).toEqual([String(await customer.credits()), 'exit code 0']);
  });

  it('continues a list after kill -9, without a second upload', async () => {
    const { folder } = installed;
    // The mail host asks for a retry, so the job is still running when the command is killed.
    await writeFile(join(folder, 'slow.csv'), 'email\nada@greylisting.example\nada@ordinary.example\n');
    const args = [join(folder, 'node_modules/.bin/mailproof'), 'validate', 'slow.csv', '--yes'];
    const options = { cwd: folder, env: environment() };
    const killed = spawn(process.execPath, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = once(killed, 'exit');
    for await (const chunk of killed.stderr) {
      if (/^(queued|running)/m.test(String(chunk))) break;
    }
    killed.kill('SIGKILL');
    await ended;
    const { job_id } = JSON.parse(await readFile(join(folder, 'slow.validated.csv.job'), 'utf8'));
    expect(await customer.post(`/validation-jobs/${job_id}/cancellation`, undefined)).toMatchObject({
      status: 200,
    });
    const resumed = await run(process.execPath, args, { ...options, timeout: 120_000 }).catch(error => error);
    expect(resumed).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(
        /^Resuming vjob_[\s\S]* The job was canceled\. Results: .*slow\.validated\.csv/,
      ),
    });
    // The way to the rest that it names, against the running house.
    const [, rest = ''] = /: mailproof validate (vjob_\w+)\n/.exec(String(resumed.stderr)) ?? [];
    expect(rest).toBe(job_id);
    const restArgs = [args[0] ?? '', 'validate', rest, '--yes', '--finish-after', '0'];
    const { stderr } = await run(process.execPath, restArgs, { ...options, timeout: 120_000 });
    expect(stderr).toContain(`${rest}.validated.csv`);
    const results = await readFile(join(folder, `${rest}.validated.csv`), 'utf8');
    expect(results).toContain('ada@greylisting.example');
    const { body } = await customer.get('/validation-jobs');
    expect((body['jobs'] as { name: string }[]).filter(({ name }) => name === 'slow.csv')).toHaveLength(1);
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
      tools = providePythonTools(line => process.stdout.write(`${line}\n`));
      const python = await installPythonSdk(folder, tools);
      installed = { folder, python, start: (name, ...args) => start(folder, python, `${name}.py`, ...args) };
    }, 300_000);

    afterAll(() => rm(installed?.folder ?? '', { recursive: true, force: true }));

    doesEverything(() => installed);

    it('has types that a strict checker accepts, in its programs and in the examples of the reference', async () => {
      const { folder } = installed;
      // An ignored error that does not occur is an error.
      const wrong = `from mailproof import api, verify_webhook
api.validate_single_email(body="ada")  # type: ignore[arg-type]
event = verify_webhook(b"", {}, "")
if event.type_ == "export.finished":
    print(event.data.export_id.upper())
if event.type_ == "credits.low":
    print(event.data.export_id)  # type: ignore[attr-defined]
`;
      await writeFile(join(folder, 'wrong.py'), wrong);
      const args = ['-m', 'mypy', '--strict', '--python-executable', join(folder, 'venv/bin/python3')];
      const samples = await writeSamples(folder, 'python', 'py');
      await run(tools.python, [...args, ...names, ...samples, 'wrong.py'], { cwd: folder });
      const own = ['client', 'async_client', 'attempts', 'errors', 'lists', 'operation', 'webhooks'];
      await run(tools.python, [...args, ...own.flatMap(name => ['-m', `mailproof.${name}`])], {
        cwd: folder,
      });
    });

    it('comes with the README for a registry', async () => {
      const read = 'from importlib.metadata import metadata; print(metadata("mailproof").get_payload())';
      const { stdout } = await run(installed.python, ['-X', 'utf8', '-c', read]);
      expect(stdout.trim()).toBe(packedReadme('sdks/python').trim());
    });

    it('is formatted, and a linter finds no fault', async () => {
      await run(tools.python, ['-m', 'ruff', 'format', '--check', pythonSdkFolder]);
      await run(tools.python, ['-m', 'ruff', 'check', pythonSdkFolder]);
    });

    it('passes its own tests, with both clients', async () => {
      const options = { cwd: join(pythonSdkFolder, 'tests'), env: { PYTHONDONTWRITEBYTECODE: '1' } };
      const modules = ['test_clients.Clients', 'test_clients.AsyncClients', 'test_webhooks'];
      const suites = modules.map(async suite => {
        const { stderr } = await run(installed.python, ['-W', 'error', '-m', 'unittest', suite], options);
        expect(stderr).toMatch(/Ran [1-9]\d* tests in .*\n\nOK/);
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
      expect(lines).toEqual([
        "1 OtherWebhook(body={'email': 'ada@ordinary.example'}, type_=None)",
        '204',
        '204',
        '401',
      ]);
    });
  },
);
