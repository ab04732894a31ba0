import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { breakWithinBody, takesLargeBody } from '@mailproof/dev-house';
import { openSharedHouse, type TestHouse } from './house.ts';
import { blocksOf } from './page-commands.ts';
import { until } from './until.ts';

/** Runs the programs in docs/quick-start.md as a reader would. */

const run = promisify(execFile);
const page = await readFile(new URL('../../../docs/quick-start.md', import.meta.url), 'utf8');
const [, curlValidate = '', curlList = '', curlPush = ''] = blocksOf(page, 'sh');
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
/** The list of the page, with a duplicate. */
const list = `${blocksOf(page, 'csv')[0]}Ada,ADA@ordinary.example\n`;
/** Each address once, spelled as in its first row. */
const verdicts = ['ada@ordinary.example ok', 'nobody@ordinary.example invalid'];
const languages = [
  { language: 'TypeScript', program: process.execPath, ending: 'ts' },
  { language: 'Python', program: 'python3', ending: 'py' },
];

let test: TestHouse;
let directory: string;
const receivers: ChildProcess[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailproof-quick-start-'));
  const blocks = [...blocksOf(page, 'ts'), ...blocksOf(page, 'python')];
  for (const block of blocks) {
    const name = /^(?:\/\/|#) (\w+\.\w+):/.exec(block)?.[1] ?? '';
    await writeFile(join(directory, name), block);
  }
  expect(blocks).toHaveLength(6);
  await writeFile(join(directory, 'package.json'), '{"type":"module"}');
  await writeFile(join(directory, 'list.csv'), list);
  // The result of `npm install standardwebhooks`.
  const entry = fileURLToPath(import.meta.resolve('standardwebhooks'));
  await mkdir(join(directory, 'node_modules'));
  await symlink(
    entry.slice(0, entry.lastIndexOf('standardwebhooks') + 'standardwebhooks'.length),
    join(directory, 'node_modules/standardwebhooks'),
  );
  test = await openSharedHouse();
});

afterAll(async () => {
  for (const receiver of receivers) {
    receiver.kill();
  }
  await test?.stop();
  await rm(directory, { recursive: true, force: true });
});

function isThere(program: string): boolean {
  const there = spawnSync(program, ['--version']).status === 0;
  if (!there) {
    process.stdout.write(`There is no ${program} on this machine: its examples were not run.\n`);
  }
  return there;
}

/** The variables that a reader has exported, and nothing else from this environment. */
function environmentOf({ apiKey = '' }: { apiKey?: string }): Record<string, string> {
  return {
    PATH: `${dirname(process.execPath)}:${process.env['PATH']}`,
    MAILPROOF_URL: test.house.gatewayUrls[0] ?? '',
    MAILPROOF_API_KEY: apiKey,
    WEBHOOK_SECRET: secret,
    PORT: '0',
  };
}

function start(program: string, args: readonly string[], env: Record<string, string>) {
  return run(program, args, { cwd: directory, env, timeout: 60_000 });
}

/** Runs a receiver from the page; returns where it listens and its output so far. */
async function receive(program: string, file: string) {
  // Python's server reports broken connections as errors.
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  const receiver = spawn(program, [file], { cwd: directory, env: environmentOf({}), stdio: [...stdio] });
  receivers.push(receiver);
  let said = '';
  receiver.stdout?.on('data', chunk => {
    said += chunk;
  });
  await until(
    'the receiver listens',
    async () => said,
    text => /listening on \d+/.test(text),
  );
  const port = Number(/listening on (\d+)/.exec(said)?.[1]);
  return { url: `http://127.0.0.1:${port}/`, port, said: () => said };
}

const linesOf = (text: string) => text.trim().split('\n');

describe.each(languages)('the quick start in $language', ({ program, ending }) => {
  it.concurrent('validates addresses, waits where it asks too fast, and is charged once for each', async () => {
    if (!isThere(program)) {
      return;
    }
    const customer = await test.open({ credits: 20, requestsPerSecond: 2 });
    const addresses = Array.from({ length: 5 }, () => 'ada@ordinary.example');
    const { stdout, stderr } = await start(
      program,
      [`validate.${ending}`, ...addresses],
      environmentOf(customer),
    );
    expect(linesOf(stdout)).toEqual(addresses.map(address => `${address} ok`));
    expect(stderr).toContain('429, retrying in 1 s');
    expect(
      await until(
        'the charges',
        () => customer.credits(),
        left => left <= 15,
      ),
    ).toBe(15);
  });

  it.concurrent('says in words that there are no credits, and that an address is none', async () => {
    if (!isThere(program)) {
      return;
    }
    const poor = await test.open({ credits: 0 });
    const refused = start(program, [`validate.${ending}`, 'ada@ordinary.example'], environmentOf(poor));
    await expect(refused).rejects.toMatchObject({
      stderr: expect.stringContaining('out of credits: 1 needed, 0 left'),
    });
    const wrong = start(program, [`validate.${ending}`, 'ada'], environmentOf(poor));
    await expect(wrong).rejects.toMatchObject({ stderr: expect.stringMatching(/ada: [a-z_]+: \S+/) });
  });

  it.concurrent('validates a list, and takes its rows by a webhook that it trusts by their signature alone', async () => {
    if (!isThere(program)) {
      return;
    }
    const customer = await test.open({ credits: 20 });
    const { stdout } = await start(program, [`list.${ending}`, 'list.csv'], environmentOf(customer));
    const [first = '', ...progress] = linesOf(stdout);
    expect(first).toMatch(/^vjob_\w+: 2 addresses, at most 2 credits$/);
    expect(progress.at(-2)).toBe('succeeded: 2 of 2');
    expect(progress.at(-1)).toMatch(/^spent 2, returned 0, /);

    const receiver = await receive(program, `receiver.${ending}`);
    await breakWithinBody(receiver.port);
    expect(await takesLargeBody(receiver.port)).toBe(false);
    const forged = { 'webhook-id': 'x', 'webhook-timestamp': String(Math.floor(Date.now() / 1_000)) };
    const answer = await fetch(receiver.url, {
      method: 'POST',
      headers: { ...forged, 'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}` },
      body: '{"email":"eve@ordinary.example","result_status":"ok"}',
    });
    expect(answer.status).toBe(401);
    const push = {
      target: 'webhook',
      source: { kind: 'validation_job', job_id: first.split(':')[0], without_duplicates: true },
      destination: { url: receiver.url, signing_secret: secret },
    };
    const pushed = await customer.post('/exports', JSON.stringify(push));
    expect(pushed.status).toBe(202);
    await until(
      'the rows',
      async () => linesOf(receiver.said()),
      lines => lines.length >= 3,
    );
    expect(linesOf(receiver.said()).slice(1).sort()).toEqual(verdicts);
  });
});

it('the quick start needs an API key and no password', () => {
  expect(page).not.toMatch(/password|cookie|\/app\/v1/i);
});

describe('the quick start in curl', () => {
  it.concurrent('validates an address, then a list, and pushes its rows', async () => {
    if (!isThere('curl')) {
      return;
    }
    const customer = await test.open({ credits: 20 });
    const env = environmentOf(customer);
    const { stdout } = await start('bash', ['-e', '-c', curlValidate], env);
    expect(JSON.parse(stdout)).toMatchObject({ email: 'ada@ordinary.example', result: 'ok' });
    const receiver = await receive(process.execPath, 'receiver.ts');
    const script = `${curlList}\n${curlPush}`;
    await start('bash', ['-e', '-o', 'pipefail', '-c', script], { ...env, RECEIVER_URL: receiver.url });
    const job = JSON.parse(await readFile(join(directory, 'job.json'), 'utf8')) as object;
    expect(job).toMatchObject({
      state: 'succeeded',
      addresses: 2,
      spent: 2,
      created_by: customer.apiKeyId,
    });
    // Rows with a duplicate address are pushed too, unless the source excludes duplicates.
    await until(
      'the rows',
      async () => linesOf(receiver.said()),
      lines => lines.length >= 4,
    );
    expect(
      [
        ...new Set(
          linesOf(receiver.said())
            .slice(1)
            .map(line => line.toLowerCase()),
        ),
      ].sort(),
    ).toEqual(verdicts);
  });

  it.concurrent('tells of missing credits with an error', async () => {
    if (!isThere('curl')) {
      return;
    }
    const poor = await test.open({ credits: 0 });
    await expect(start('bash', ['-e', '-c', curlValidate], environmentOf(poor))).rejects.toMatchObject({
      stdout: expect.stringContaining('"code":"credits_exhausted"'),
    });
  });
});
