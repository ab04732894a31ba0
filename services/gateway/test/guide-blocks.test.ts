import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { environmentFile, openWebhookReceiver, projectRoot } from '@mailproof/dev-house';
import { guideBlocks } from './guide-blocks.ts';
import { type Customer, findingPeople, openTestHouse, type TestHouse } from './house.ts';
import { blocksOf } from './page-commands.ts';
import { until } from './until.ts';

/** Runs commands of the guides as a reader would, and checks that no block of a guide is run nowhere without a reason. */

const guide = (name: string) => readFile(join(projectRoot, 'docs', name), 'utf8');
const peopleMade = 3_000;
const synthetic = ['synthesize', 'people', String(peopleMade), '--companies', '300'];

let test: TestHouse;
let customer: Customer;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mailproof-guides-'));
  test = await openTestHouse({
    only: [...findingPeople, 'mcp-server', 'webhook-dispatcher'],
    env: {
      enrichment: { LOOKALIKE_REFRESH_INTERVAL_MS: '200', LOOKALIKE_QUESTION_DEADLINE_MS: '60000' },
      'webhook-dispatcher': { OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.1/32' },
    },
  });
  customer = await test.open({ credits: 10_000, requestsPerSecond: 1_000 });
  await mkdir(join(directory, '.mailproof'));
  for (const [service, environment] of Object.entries(test.house.environments)) {
    await writeFile(join(directory, '.mailproof', environmentFile(service)), JSON.stringify(environment));
  }
  // `npx pnpm ops …` and `npx pnpm run …` of a checkout, without the seconds that they take to start.
  const npx = `#!/bin/sh\nshift\nif [ "$1" = ops ] || [ "$1" = run ]; then shift; fi\nexec node ${projectRoot}/packages/dev-house/src/ops.ts "$@"\n`;
  await writeFile(join(directory, 'npx'), npx);
  await chmod(join(directory, 'npx'), 0o755);
  // A response that is an error ends the command with 22.
  await writeFile(join(directory, '.curlrc'), 'fail-with-body\n');
  const { code, said } = await run(`npx pnpm ops ${synthetic.join(' ')} --json`);
  expect([code, code === 0 ? '' : said]).toEqual([0, '']);
  const { examples } = JSON.parse(said) as { examples: { profileUrl: string } };
  await writeFile(
    join(directory, '.mailproof/demo.json'),
    JSON.stringify({ apiKey: customer.apiKey, profiles: examples }),
  );
  // The index reads the people some time after the import; until then a country of theirs is an unknown value.
  await until(
    'All people are found',
    async () => {
      const response = await fetch(`${test.house.gatewayUrls[0]}/api/v1/people-counts`, {
        method: 'POST',
        headers: { 'x-api-key': customer.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ filters: {} }),
      });
      return response.ok ? ((await response.json()) as { total: number }).total : 0;
    },
    total => total >= peopleMade,
  );
}, 240_000);

afterAll(async () => {
  await test?.stop();
  await rm(directory, { recursive: true, force: true });
});

function run(command: string, env: Record<string, string> = {}): Promise<{ code: number; said: string }> {
  return new Promise(resolve => {
    const child = execFile(
      'bash',
      ['-c', command],
      {
        cwd: directory,
        timeout: 120_000,
        maxBuffer: 64 * 1_024 * 1_024,
        env: {
          PATH: `${directory}:${dirname(process.execPath)}:${process.env['PATH']}`,
          HOME: directory,
          MAILPROOF_STATE_DIR: join(directory, '.mailproof'),
          ...env,
        },
      },
      (_error, out, complaint) => resolve({ code: child.exitCode ?? -1, said: out || complaint }),
    );
  });
}

/** The lines of a page's commands, with the given replacements; continued lines are joined. */
async function linesOf(name: string, ...replacements: [RegExp, string][]): Promise<string[]> {
  // A block can be inside a list.
  const page = (await guide(name)).replaceAll(/^ {3}/gm, '');
  const blocks = blocksOf(page, 'sh').filter(block => !isLeftOut(name, block));
  const text = blocks.join('').replace(/\\\n/g, '');
  const url = test.house.gatewayUrls[0] ?? '';
  return [[/http:\/\/127\.0\.0\.1:8080/g, url] as const, ...replacements]
    .reduce((given, [from, to]) => given.replace(from, to), text)
    .trim()
    .split('\n');
}

/** What a reader has set after "Set the URL and the key". */
async function settings(): Promise<string[]> {
  return (await linesOf('find-leads.md')).filter(line => /^export (MAILPROOF_\w+|API)=/.test(line));
}

function isLeftOut(name: string, block: string): boolean {
  return (guideBlocks[name] ?? []).some(
    rule => 'except' in rule && rule.except.some(beginning => block.startsWith(beginning)),
  );
}

describe('the guide', () => {
  it('find-leads.md leads from a count to lists of people and of companies', async () => {
    const ids = new Map<string, string>();
    const exported: string[] = [];
    const lines = await linesOf('find-leads.md');
    expect(lines.length).toBeGreaterThan(20);
    const [people = ''] = blocksOf(await guide('find-leads.md'), 'csv');
    await writeFile(join(directory, 'people.csv'), people);
    for (const page of lines) {
      const line = page.replace(
        /\b(srch|run|list|pers|pimp)_0199\w+/g,
        (text, kind: string) => ids.get(kind) ?? text,
      );
      if (line.startsWith('export ')) {
        exported.push(line);
        continue;
      }
      const isTooLate = line.includes('/cancellation');
      const { code, said } = await until(
        line,
        () => run([...exported, line].join('\n')),
        // The index and the model of similar companies load first, a run locks its search until it ends, and a preview
        // takes a moment.
        answer =>
          !/"code":"(search_not_ready|run_active|seed_not_found|people_import_not_waiting)"/.test(
            answer.said,
          ),
        60_000,
      );
      expect({ line, code, said: code === 0 || isTooLate ? '' : said }).toEqual({
        line,
        code: isTooLate ? expect.any(Number) : 0,
        said: '',
      });
      // Of the people of a preview, the last one is not saved yet.
      for (const [, id = ''] of said.matchAll(
        /"(?:search|run|list|person|import)_id":"((?:srch|run|list|pers|pimp)_\w+)"/g,
      )) {
        ids.set(id.split('_', 1)[0] ?? '', id);
      }
      for (const variable of ['SEARCH', 'RUN', 'LIST', 'IMPORT']) {
        const id = ids.get({ SEARCH: 'srch', RUN: 'run', LIST: 'list', IMPORT: 'pimp' }[variable] ?? '');
        if (id !== undefined) exported.push(`export ${variable}=${id}`);
      }
    }
    expect([...ids.keys()].sort()).toEqual(['list', 'pers', 'pimp', 'run', 'srch']);
  }, 240_000);

  it('profile-enrichment.md looks up a profile', async () => {
    const { code, said } = await run((await linesOf('profile-enrichment.md')).join('\n'));
    expect([code, said]).toEqual([0, expect.stringContaining('"full_name"')]);
  });

  it('load-your-data.md loads companies and people, generates some, and deletes a person', async () => {
    const files: Record<string, string | Buffer> = {
      'companies.csv': 'name,website\nExample Ltd,https://loaded.example\n',
      'list.csv': 'Firm,Web,Notes\nOther Ltd,https://other-loaded.example,none\n',
      'people.ndjson.gz': gzipSync(
        '{"name":"Ada Lovelace","linkedin_url":"https://www.linkedin.com/in/somebody","job_title":"CEO"}\n',
      ),
    };
    for (const [name, content] of Object.entries(files)) {
      await writeFile(join(directory, name), content);
    }
    const lines = await linesOf(
      'load-your-data.md',
      [/\b(?=companies\.csv|list\.csv|people\.ndjson\.gz|refused\.csv)/g, `${directory}/`],
      [/100000/g, '300'],
      [/5000/g, '30'],
    );
    expect(lines).toHaveLength(11);
    const outputs: string[] = [];
    for (const line of lines) {
      const { code, said } = await run(line);
      expect({ line, code, said: code === 0 ? '' : said }).toEqual({ line, code: 0, said: '' });
      outputs.push(said);
    }
    expect(outputs.find(said => said.includes('Ada Lovelace'))).toBeDefined();
  }, 600_000);

  it('payment.md and privacy.md name commands that pay and that forget an account', async () => {
    const { accountId } = await test.open({ plan: 'starter' });
    const [pay = ''] = await linesOf('payment.md', [/<account-id>/g, accountId]);
    expect(await run(pay)).toMatchObject({ code: 0, said: expect.stringContaining('starter') });
    const [forget = ''] = await linesOf('privacy.md', [/acct_0199\w+/g, accountId]);
    const forgotten = await run(forget);
    expect({ ...forgotten, forget }).toMatchObject({ code: 0 });
    expect((await run(`npx pnpm ops account deletions`)).said).toContain(accountId);
  }, 240_000);

  it('backup-and-restore.md audits the ledger, and secrets-rotation.md makes keys and rotates them', async () => {
    const [audit = ''] = (await linesOf('backup-and-restore.md')).filter(line =>
      line.endsWith('ledger audit'),
    );
    expect(await run(audit)).toMatchObject({ code: 0, said: expect.stringContaining('Faults: none') });
    const signingKeys = async () => {
      const { said } = await run('npx pnpm ops signing-keys list --json');
      return (JSON.parse(said) as { kid: string }[]).map(({ kid }) => kid);
    };
    const [first = ''] = await signingKeys();
    const outputs = [];
    for (const line of await linesOf('secrets-rotation.md', [/<kid>/g, first])) {
      const { code, said } = await run(line);
      expect({ line, code, said: code === 0 ? '' : said }).toEqual({ line, code: 0, said: '' });
      outputs.push(said);
    }
    expect(outputs).toEqual([
      expect.stringMatching(/^k2026-11:[\w+/]{43}=\n$/),
      expect.stringMatching(/^Encrypted 0 with /),
      expect.stringMatching(/^Created \S+, which signs from /),
      expect.stringContaining(`Retired ${first}.`),
      expect.anything(),
    ]);
    const kids = await signingKeys();
    expect([kids.length > 0, kids.includes(first)]).toEqual([true, false]);
  }, 240_000);

  it('push-rows.md sends a row, then pushes all rows', async () => {
    const receiver = await openWebhookReceiver();
    try {
      receiver.react(() => ({ status: 204 }));
      const search = await customer.post('/people-searches', JSON.stringify({ name: 'Pushed', filters: {} }));
      const runs = `/people-searches/${search.body['search_id']}/runs`;
      const begun = await customer.post(runs, JSON.stringify({ people: 2 }));
      const ended = await until(
        'the end of the run',
        async () => (await customer.get(`/discovery-runs/${begun.body['run_id']}`)).body,
        ({ state }) => !/^(queued|running)$/.test(String(state)),
        60_000,
      );
      expect(ended).toMatchObject({ state: 'succeeded', delivered: 2 });
      const lines = await linesOf('push-rows.md', [/https:\/\/receiver\.example/g, receiver.url]);
      expect(lines).toHaveLength(3);
      const said: string[] = [];
      for (const line of lines) {
        const answer = await run([...(await settings()), line].join('\n'));
        expect({ line, code: answer.code, said: answer.code === 0 ? '' : answer.said }).toEqual({
          line,
          code: 0,
          said: '',
        });
        said.push(answer.said);
      }
      const [, started = ''] = said;
      const path = `/exports/${(JSON.parse(started) as { export_id: string }).export_id}`;
      const pushed = await until(
        'the end of the push',
        async () => (await customer.get(path)).body,
        ({ status }) => status === 'succeeded',
        60_000,
      );
      const withToken = receiver.requests.filter(
        ({ headers }) => headers['authorization'] === 'Bearer your-token',
      );
      expect(pushed['rows']).toMatchObject({ total: withToken.length, delivered: withToken.length });
      expect([withToken.length > 1, receiver.requests.length]).toEqual([true, withToken.length + 1]);
    } finally {
      await receiver.close();
    }
  }, 120_000);

  it('quick-start.md sets the URL, the key and a secret', async () => {
    const page = await guide('quick-start.md');
    const [environment = ''] = blocksOf(page, 'sh');
    const [secret = ''] = blocksOf(page, 'bash');
    const print = 'echo "$MAILPROOF_URL $MAILPROOF_API_KEY $WEBHOOK_SECRET $RECEIVER_URL"';
    const { code, said } = await run(`set -e\n${environment}${secret}${print}`);
    expect([code, said.trim().split(' ')]).toEqual([
      0,
      [
        'http://127.0.0.1:8080',
        customer.apiKey,
        expect.stringMatching(/^whsec_[\w+/]{43}=$/),
        expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/$/),
      ],
    ]);
  });
});

describe('each code block of the guides', () => {
  it('is run or checked by a test that reads its page, or has a reason not to be', async () => {
    const names = (await readdir(join(projectRoot, 'docs'))).filter(name => name.endsWith('.md'));
    const withBlocks: string[] = [];
    for (const name of names) {
      const page = await guide(name);
      const blocks = [...page.matchAll(/^( *)```(\w*)\n(.*?)^\1```/gms)].map(
        ([, , language, block = '']) => ({ language: language || 'plain', block: block.trim() }),
      );
      if (blocks.length === 0) continue;
      withBlocks.push(name);
      const rules = guideBlocks[name] ?? [];
      const readers = rules.flatMap(rule => ('by' in rule ? [rule] : []));
      for (const { by } of readers) {
        expect([by, existsSync(join(projectRoot, by))]).toEqual([by, true]);
        expect(await readFile(join(projectRoot, by), 'utf8')).toContain(name);
      }
      const run = new Map<string, number>();
      for (const { language, block } of blocks) {
        if (!isLeftOut(name, block)) run.set(language, (run.get(language) ?? 0) + 1);
      }
      const claimed = new Map<string, number>();
      for (const [language, count] of readers.flatMap(({ runs }) => Object.entries(runs))) {
        const blocksRun = count === 'all' ? (run.get(language) ?? 0) : count;
        claimed.set(language, (claimed.get(language) ?? 0) + blocksRun);
      }
      expect({ name, blocks: Object.fromEntries(claimed) }).toEqual({
        name,
        blocks: Object.fromEntries(run),
      });
      const beginnings = rules.flatMap(rule => ('except' in rule ? rule.except : []));
      const stale = beginnings.filter(each => !blocks.some(({ block }) => block.startsWith(each)));
      expect({ name, stale }).toEqual({ name, stale: [] });
    }
    expect(Object.keys(guideBlocks).sort()).toEqual(withBlocks.sort());
  });
});
