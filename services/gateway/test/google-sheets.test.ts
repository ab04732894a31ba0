import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { projectRoot } from '@mailproof/dev-house';
import { keyScope } from '@mailproof/shared-types';
import { openSpreadsheet, sheetsScript } from './apps-script.ts';
import { type Customer, openSharedHouse, type TestHouse } from './house.ts';
import { blocksOf, commandsOf, runPageCommand } from './page-commands.ts';
import { newKey } from './sandbox-accounts.ts';

let test: TestHouse;
/** With the default key, which has every scope. */
let customer: Customer;
/** The same account, with a key that has only the scope that the page of the script asks for. */
let scoped: Customer;
let sheet: ReturnType<typeof openSpreadsheet> | undefined;

beforeAll(async () => {
  test = await openSharedHouse();
  customer = await test.open({ credits: 100, requestsPerSecond: 1_000 });
  const page = await readFile(new URL('README.md', sheetsScript), 'utf8');
  const [, scope] = /API key with the scope `([^`]+)`/.exec(page) ?? [];
  const owner = await (await test.owner({ accountId: customer.accountId })).signIn();
  scoped = await newKey(test, owner, 'live', [keyScope.parse(scope)]);
});

afterEach(() => sheet?.close());
afterAll(() => test?.stop());

/** A spreadsheet whose user has entered the URL and the key. */
function spreadsheet(cells: string[][], { apiKey } = scoped) {
  sheet = openSpreadsheet(cells);
  sheet.user.typed.push(`${test.house.gatewayUrls[0]}/`, apiKey);
  sheet.call('setUp');
  expect(sheet.user.shown.pop()).toBe('Mailproof accepts the API key.');
  sheet.requests.length = 0;
  return sheet;
}

it('the script uses what Apps Script has', async () => {
  const checked = ['--allowJs', '--checkJs', '--noEmit', '--strict', 'false', '--noImplicitAny', 'false'];
  const modern = ['--target', 'es2022', '--lib', 'es2022', '--types', 'google-apps-script'];
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const tsc = join(projectRoot, 'node_modules/.bin/tsc');
  await promisify(execFile)(tsc, [...checked, ...modern, fileURLToPath(sheetsScript)], { cwd });
});

it('the page about no-code tools shows a request that works, and each recipe sends it', async () => {
  const page = await readFile(join(projectRoot, 'docs/no-code-tools.md'), 'utf8');
  const commands = commandsOf(page);
  expect(commands).toHaveLength(1);
  const environment = { url: test.house.gatewayUrls[0] ?? '', apiKey: customer.apiKey };
  for (const command of commands) {
    const { status, text } = await runPageCommand(environment, command, given => given);
    expect([status, JSON.parse(text)]).toMatchObject([
      200,
      { result: 'ok', valid: true, details: { reason: 'mailbox_exists' } },
    ]);
  }
  const recipes = page.split(/^## /m).slice(1);
  expect(recipes.map(recipe => recipe.split('\n')[0])).toEqual(['Clay', 'Zapier', 'Make', 'n8n']);
  for (const recipe of recipes) {
    expect(recipe).toContain('https://mailproof.example/api/v1/validate-single-email');
    expect(recipe).toMatch(/details(?:=|`: `)true[\s\S]*email|email[\s\S]*details(?:=|`: `)true/);
    expect(recipe).toContain('`X-Api-Key`');
  }
  const [clay = '', , make, n8n] = recipes;
  expect(make).toContain('`{{var.scenario.executionId}}-{{sha256(1.email)}}`');
  expect(make).toContain('`Idempotency-Key`: `{{2.key}}`');
  expect(n8n).toContain('`Idempotency-Key`: `{{ $execution.id }}-{{ $runIndex }}-{{ $itemIndex }}`');
  // Clay's formulas are JavaScript.
  const [formula = ''] = blocksOf(clay, 'text');
  const keyOf = (email: string, hour: string) =>
    runInNewContext(formula.replace('{{Email}}', JSON.stringify(email)), {
      moment: { utc: () => ({ format: () => hour }) },
    });
  const before = await customer.credits();
  const post = async (email: string, hour: string) => {
    const headers = { 'idempotency-key': keyOf(email, hour) };
    const answer = await customer.post('/validate-single-email', JSON.stringify({ email }), headers);
    return [answer.status, answer.headers.get('idempotent-replayed')];
  };
  expect(await post('grace@ordinary.example', '2026112808')).toEqual([200, null]);
  expect(await post('grace@ordinary.example', '2026112808')).toEqual([200, 'true']);
  expect(await customer.credits()).toBe(before - 1);
  expect(await post('info@ordinary.example', '2026112808')).toEqual([200, null]);
  expect(await post('grace@ordinary.example', '2026112809')).toEqual([200, null]);
  expect(keyOf('jörg@ordinary.example', '2026112808')).toMatch(/^[\x20-\x7e]+$/);
});

describe('the function MAILPROOF', () => {
  it('answers a cell and a range, requests each address once, and remembers it', async () => {
    const { call, requests } = spreadsheet([]);
    const before = await customer.credits();
    expect(call('MAILPROOF', 'ada@ordinary.example', undefined)).toBe('ok');
    const range = [
      ['ada@ordinary.example'],
      ['nobody@ordinary.example'],
      [''],
      [' nobody@ordinary.example '],
    ];
    expect(call('MAILPROOF', range, 'reason')).toEqual([
      ['mailbox_exists'],
      ['mailbox_missing'],
      [''],
      ['mailbox_missing'],
    ]);
    expect(call('MAILPROOF', 'not an address', 'reason')).toBe('syntax');
    expect(requests).toHaveLength(3);
    expect(await customer.credits()).toBe(before - 2);
  });

  it('stays within the account’s rate, and finishes a range of 30', async () => {
    const { call } = spreadsheet([], await test.open({ credits: 100, requestsPerSecond: 10 }));
    const range = Array.from({ length: 30 }, (_, at) => [`nobody${at}@ordinary.example`]);
    expect(call('MAILPROOF', range, 'result')).toEqual(range.map(() => ['invalid']));
  });

  it('says what is wrong', async () => {
    const { call, user, requests } = spreadsheet([]);
    expect(() => call('MAILPROOF', 'ada@ordinary.example', 'score')).toThrow('Choose one of these fields');
    const many = Array.from({ length: 101 }, (_, at) => [`a${at}@ordinary.example`]);
    expect(() => call('MAILPROOF', many, '')).toThrow('use the menu Mailproof');
    expect(requests).toEqual([]);
    user.typed.push(test.house.gatewayUrls[0] ?? '', 'mp_live_wrong');
    expect(() => call('setUp')).toThrow('(invalid_api_key)');
    expect(() => call('MAILPROOF', 'grace@ordinary.example', '')).toThrow('(invalid_api_key)');
    user.typed.push('http://127.0.0.1:9/', customer.apiKey);
    const empty = openSpreadsheet([]);
    expect(() => empty.call('showCredits')).toThrow('Choose Mailproof, Set URL and API key');
    await empty.close();
  });
});

describe('the menu', () => {
  it('shows the credits to a key that may read them, and names the scope to others', async () => {
    const { call, user } = spreadsheet([], customer);
    call('showCredits');
    expect(user.shown.pop()).toBe(`${await customer.credits()} credits are left.`);
    await sheet?.close();
    expect(() => spreadsheet([]).call('showCredits')).toThrow(/account\.read.*\(scope_required\)/);
  });

  const list = () => [
    ['Name', 'E-mail', 'City'],
    ['Ada', 'ada@ordinary.example', 'London'],
    ['', '', ''],
    ['Nobody', 'nobody@ordinary.example', 'Nowhere'],
    ['Ada', ' ada@ordinary.example', 'Paris'],
    ['Quote', '"a"b"@ordinary.example', ''],
  ];

  it('validates a selected column, and inserts the results next to it', async () => {
    const { call, select, user, cells } = spreadsheet(list());
    const before = await customer.credits();
    // A whole column of a sheet is longer than what is in it.
    select(1, 2, 1_000);
    call('validateSelection');
    expect(user.shown).toEqual([
      expect.stringMatching(/^Validate 2 addresses for at most 2 credits\?/),
      '2 credits spent.',
    ]);
    expect(cells.map(row => row.slice(1, 5))).toEqual([
      ['E-mail', 'result', 'reason', 'City'],
      ['ada@ordinary.example', 'ok', 'mailbox_exists', 'London'],
      ['', '', '', ''],
      ['nobody@ordinary.example', 'invalid', 'mailbox_missing', 'Nowhere'],
      [' ada@ordinary.example', 'ok', 'mailbox_exists', 'Paris'],
      ['"a"b"@ordinary.example', 'invalid', 'syntax', ''],
    ]);
    expect(await customer.credits()).toBe(before - 2);
    call('getResults');
    expect(user.shown.at(-1)).toBe('No list of this spreadsheet is being validated.');
  });

  it('finds the addresses again if columns and rows were inserted while the list was validated', async () => {
    const { call, select, user, cells } = spreadsheet(list());
    select(1, 2, 1_000);
    user.meanwhile = url => {
      if (!url.endsWith('/start')) return;
      for (const row of cells) row.unshift('new', '');
      cells.unshift(['A title', '', '', '', '']);
    };
    call('validateSelection');
    expect(user.shown.at(-1)).toBe('2 credits spent.');
    expect(cells.map(row => row.slice(2))).toEqual([
      ['', '', '', '', ''],
      ['Name', 'E-mail', 'result', 'reason', 'City'],
      ['Ada', 'ada@ordinary.example', 'ok', 'mailbox_exists', 'London'],
      ['', '', '', '', ''],
      ['Nobody', 'nobody@ordinary.example', 'invalid', 'mailbox_missing', 'Nowhere'],
      ['Ada', ' ada@ordinary.example', 'ok', 'mailbox_exists', 'Paris'],
      ['Quote', '"a"b"@ordinary.example', 'invalid', 'syntax', ''],
    ]);
  });

  it('keeps the list while its addresses are not in the sheet, and says where the results are', async () => {
    const { call, select, user, cells } = spreadsheet(list());
    select(1, 2, 1_000);
    const taken: string[] = [];
    user.meanwhile = url => {
      if (!url.endsWith('/start')) return;
      for (const row of cells) taken.push(row.splice(1, 1, '')[0] ?? '');
      user.accepts = false;
    };
    call('validateSelection');
    expect(user.shown.at(-1)).toMatch(
      /^No cell of the sheet has a validated address\. The results are in Mailproof/,
    );
    expect(cells.map(row => row.length)).toEqual(list().map(() => 3));
    for (const [at, row] of cells.entries()) row[1] = taken[at] ?? '';
    call('getResults');
    expect(user.shown.at(-1)).toBe('2 credits spent.');
    expect(cells[1]?.slice(1, 4)).toEqual(['ada@ordinary.example', 'ok', 'mailbox_exists']);
  });

  it('keeps the list if its sheet was deleted, until the user removes it', () => {
    const { call, select, user, deleteSheet } = spreadsheet(list());
    select(1, 2, 6);
    user.meanwhile = url => {
      if (!url.endsWith('/start')) return;
      deleteSheet();
      user.accepts = false;
    };
    call('validateSelection');
    expect(user.shown.at(-1)).toMatch(/^The sheet of the list was deleted\. The results are in Mailproof/);
    user.accepts = true;
    call('getResults');
    expect(user.shown.slice(-2)).toEqual([
      expect.stringMatching(/^The sheet of the list was deleted\./),
      '2 credits spent.',
    ]);
    call('getResults');
    expect(user.shown.at(-1)).toBe('No list of this spreadsheet is being validated.');
  });

  it('forgets a list that Mailproof has deleted, once the user agrees, and validates again', async () => {
    const { call, select, user, cells } = spreadsheet(list());
    select(1, 2, 1_000);
    let jobId = '';
    user.meanwhile = url => {
      [, jobId = jobId] = /\/(vjob_\w+)\/start$/.exec(url) ?? [];
      // The sheet's user does not want to see the results yet.
      if (url.includes('/rows')) throw new Error('The script is stopped.');
    };
    expect(() => call('validateSelection')).toThrow('The script is stopped.');
    delete user.meanwhile;
    const owner = await (await test.owner({ accountId: customer.accountId })).signIn();
    const removed = await owner.send(`/validation-jobs/${jobId}`, { method: 'DELETE' });
    expect(removed.status).toBe(200);

    user.accepts = false;
    call('getResults');
    expect(user.shown.at(-1)).toMatch(/^Mailproof has no such list: it was deleted/);
    call('validateSelection');
    expect(user.shown.at(-1)).toMatch(/Choose "Get results" first/);
    user.accepts = true;
    call('getResults');
    call('validateSelection');
    expect(user.shown.at(-1)).toBe('2 credits spent.');
    expect(cells[1]?.slice(1, 4)).toEqual(['ada@ordinary.example', 'ok', 'mailbox_exists']);
  });

  it('starts nothing at a price that is not accepted, and nothing without addresses', async () => {
    const { call, select, user, cells } = spreadsheet(list());
    const before = await customer.credits();
    select(1, 2, 6);
    user.accepts = false;
    call('validateSelection');
    expect(cells).toEqual(list());
    expect(await customer.credits()).toBe(before);
    for (const [row, column, rows, columns] of [
      [1, 1, 6, 1],
      [1, 1, 6, 2],
      [9, 2, 3, 1],
    ] as const) {
      select(row, column, rows, columns);
      call('validateSelection');
      expect(user.shown.at(-1)).toMatch(/^Select the cells of one column/);
    }
  });
});
