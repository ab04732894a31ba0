import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createTestDatabase, spawnOperatorCommand, type TestDatabase, waitFor } from '@mailproof/dev-house';
import pg from 'pg';
import { runCommand } from '../src/ops/program.ts';

let database: TestDatabase;
let pool: pg.Pool;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase('enrichment');
  pool = new pg.Pool({ connectionString: database.ownerUrl, options: '-c search_path=enrichment' });
  folder = await mkdtemp(join(tmpdir(), 'mailproof-import-'));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(async () => {
  for (const table of [
    'person',
    'company',
    'import_run',
    'removed_record',
    'suppression',
    'privacy_event',
    'source',
  ])
    await pool.query(`DELETE FROM ${table}`);
});

const terms = ['--source', 'Test', '--licence', 'CC0-1.0', '--date', '2026-01-01'];

const environment = () => ({
  PATH: process.env['PATH'],
  DATABASE_URL: database.databaseUrl,
  SUPPRESSION_HASH_KEY: 'a key for tests alone, 32 characters',
  INIT_CWD: folder,
});

function start(...args: string[]) {
  return spawnOperatorCommand(args, environment(), ['ignore', 'pipe', 'pipe']);
}

interface Outcome {
  readonly code: number | null;
  readonly output: string;
  readonly complaint: string;
  /** The output of `--json`. */
  readonly report: Record<string, unknown>;
}

/** Runs a command in this process, which is much faster. */
async function run(...args: string[]): Promise<Outcome> {
  const said = { output: '', complaint: '' };
  const listen = (stream: NodeJS.WriteStream, to: keyof typeof said) =>
    jest.spyOn(stream, 'write').mockImplementation(chunk => {
      said[to] += String(chunk);
      return true;
    });
  const spies = [listen(process.stdout, 'output'), listen(process.stderr, 'complaint')];
  try {
    const code = await runCommand(args, environment());
    return { code, ...said, report: reportOf(said.output) };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}

/** Runs it as an operator does. */
async function runProcess(...args: string[]): Promise<Outcome> {
  const child = start(...args);
  const [output, complaint, [code]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { code, output, complaint, report: reportOf(output) };
}

function reportOf(output: string): Record<string, unknown> {
  return output.startsWith('{') ? (JSON.parse(output) as Record<string, unknown>) : {};
}

const companies = (file: string, ...more: string[]) =>
  run('import', 'companies', file, ...terms, '--json', ...more);
const people = (file: string, ...more: string[]) =>
  run('import', 'people', file, ...terms, '--json', ...more);

async function put(name: string, content: string | Buffer): Promise<string> {
  await writeFile(join(folder, name), content);
  return name;
}

async function dump(table: string) {
  return (await pool.query(`SELECT * FROM ${table} ORDER BY change_no`)).rows;
}

const header = 'name,website,country,size,industry,founded\n';
const row = (n: number) =>
  `Company ${n},https://www.company-${n}.test/,Germany,11-50,computer software,19${10 + (n % 90)}\n`;
const rows = (count: number) => Array.from({ length: count }, (_, n) => row(n)).join('');

describe('an import', () => {
  it('reads companies in a public format, and reports how it mapped the columns', async () => {
    const file = await put(
      'pdl.csv',
      'country,founded,id,industry,linkedin_url,locality,name,region,size,website\n' +
        'united states,1999,x1,computer software,linkedin.com/company/acme,austin,acme inc,texas,51-200,acme.com\n',
    );
    const { code, report } = await runProcess('import', 'companies', file, ...terms, '--json');
    expect(code).toBe(0);
    expect(report).toMatchObject({
      state: 'ended',
      added: 1,
      mapping: { employees: 'size', city: 'locality' },
    });
    expect(await dump('company')).toMatchObject([
      {
        domain: 'acme.com',
        profile_key: 'linkedin.com/company/acme',
        name: 'acme inc',
        industry_label: 'computer software',
        industry: 'software',
        naics: '5132',
        company_size: '51-200',
        founded_year: 1999,
        country: 'US',
        region: 'texas',
        city: 'austin',
      },
    ]);
  });

  it('reads people, and reads seniority and department from the title', async () => {
    const file = await put(
      'people.ndjson.gz',
      gzipSync(
        [
          {
            linkedin: 'https://de.linkedin.com/in/Ada/',
            name: 'Ada Lovelace',
            title: 'VP of Engineering',
            company: { name: 'Acme', website: 'https://acme.test/about' },
            location: { country: 'DE' },
          },
          { linkedin: 'https://www.linkedin.com/company/acme', name: 'Acme' },
          { linkedin: 'https://www.linkedin.com/in/bob', name: 'bob@acme.test' },
        ]
          .map(each => JSON.stringify(each))
          .join('\n'),
      ),
    );
    const { report } = await people(
      file,
      ...['company.name=company_name', 'company.website=company_domain', 'location.country=country'].flatMap(
        map => ['--map', map],
      ),
    );
    expect(report).toMatchObject({
      added: 1,
      refused: { profile_of_an_organisation: 1, email_address: 1 },
    });
    expect(await dump('person')).toMatchObject([
      {
        profile_key: 'linkedin.com/in/ada',
        full_name: 'Ada Lovelace',
        seniority: 'vp',
        department: 'engineering',
        company_name: 'Acme',
        country: 'DE',
      },
    ]);
    expect(JSON.stringify(await dump('person'))).not.toContain('@');
  });

  it('changes nothing the second time, even if it reads the file again', async () => {
    const content = `${header}${rows(300)}${row(7).replace('Company 7', 'Another name')}`;
    const file = await put('twice.csv', content);
    expect((await companies(file)).report).toMatchObject({ state: 'ended', added: 300, unchanged: 1 });
    const before = await dump('company');
    expect((await companies(file)).report).toMatchObject({ state: 'ended_before' });
    expect((await companies(file, '--again')).report).toMatchObject({
      state: 'ended',
      added: 0,
      merged: 0,
      unchanged: 301,
    });
    expect(await dump('company')).toEqual(before);
    expect((await pool.query('SELECT 1 FROM record_history')).rows).toEqual([]);
  });

  it('continues where it was killed, and ends with exactly the rows of the file', async () => {
    const count = 30_000;
    const file = await put('killed.csv', `${header}${rows(count)}no domain,,,,,\n`);
    const done = async () =>
      Number((await pool.query('SELECT rows_done FROM import_run')).rows[0]?.rows_done ?? 0);
    for (let kill = 1; kill <= 2; kill += 1) {
      const child = start('import', 'companies', file, ...terms);
      const before = await done();
      const exit = once(child, 'exit');
      await waitFor('Some rows are loaded', async () => ((await done()) > before ? true : undefined), {
        deadlineMs: 60_000,
      });
      child.kill('SIGKILL');
      await exit;
    }
    const partly = await done();
    expect(partly).toBeGreaterThan(0);
    expect((await dump('company')).length).toBe(partly);
    const { report } = await companies(file);
    expect(report).toMatchObject({
      state: 'ended',
      rowsBefore: partly,
      rowsDone: count + 1,
      added: count,
      merged: 0,
      unchanged: 0,
      refused: { no_domain_or_profile: 1 },
    });
    const { rows: kept } = await pool.query(
      'SELECT count(DISTINCT domain)::integer AS domains, count(*)::integer AS all FROM company',
    );
    expect(kept).toEqual([{ domains: count, all: count }]);
    expect((await companies(file)).report).toMatchObject({ state: 'ended_before' });
  }, 240_000);

  it('merges what a newer file says, field by field', async () => {
    await companies(await put('old.csv', `${header}${row(1)}`));
    const file = await put('new.csv', 'name,domain,country,size\nCompany One,company-1.test,,201-500\n');
    const newer = ['--source', 'Test', '--licence', 'CC0-1.0', '--date', '2026-02-01', '--json'];
    expect((await run('import', 'companies', file, ...newer)).report).toMatchObject({ merged: 1 });
    expect(await dump('company')).toMatchObject([
      { name: 'Company One', country: 'DE', company_size: '201-500', founded_year: 1911 },
    ]);
    const { rows: history } = await pool.query('SELECT field, old_value FROM record_history ORDER BY field');
    expect(history).toEqual([
      { field: 'company_size', old_value: '11-50' },
      { field: 'name', old_value: 'Company 1' },
    ]);
  });

  it('stores nothing in a dry run, and writes a report of every refused row', async () => {
    const file = await put(
      'dry.csv',
      `${header}${row(1)},https://no-name.test,,,,\nNo domain,,,,,\n"quoted\nname",q.test,,,,\nshort,s.test\n`,
    );
    const { report, code } = await companies(file, '--dry-run', '--report', 'report.csv');
    expect(code).toBe(0);
    expect(report).toMatchObject({
      isDryRun: true,
      added: 2,
      refused: { no_name: 1, no_domain_or_profile: 1, wrong_column_count: 1 },
    });
    expect(await dump('company')).toEqual([]);
    expect(await readFile(join(folder, 'report.csv'), 'utf8')).toBe(
      'line,reason,column\n3,no_name,\n4,no_domain_or_profile,\n7,wrong_column_count,\n',
    );
  });

  it.each([
    ['UTF-16', Buffer.from(`\ufeff${header}Müller,m.test,DE,,,\n`, 'utf16le'), []],
    ['windows-1252', Buffer.from(`${header}Müller,m.test,DE,,,\n`, 'latin1'), ['--encoding', 'windows-1252']],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${header}Müller,m.test,DE,,,\n`), []],
    ['semicolons', Buffer.from(`${header}Müller,m.test,DE,,,\n`.replaceAll(',', ';')), []],
    [
      'tabs and CRLF',
      Buffer.from(`${header}Müller,m.test,DE,,,\n`.replaceAll(',', '\t').replaceAll('\n', '\r\n')),
      [],
    ],
  ])('reads %s', async (_, content, more) => {
    expect((await companies(await put('encoded.csv', content), ...more)).report).toMatchObject({ added: 1 });
    expect(await dump('company')).toMatchObject([{ name: 'Müller', domain: 'm.test', country: 'DE' }]);
  });
});

it('refuses to load one file by two commands at once, and loads each row once', async () => {
  const file = await put('at-once.csv', `${header}${rows(8_000)}`);
  const command = () => runProcess('import', 'companies', file, ...terms, '--json');
  const both = await Promise.all([command(), command()]);
  const lost = both.filter(({ code }) => code !== 0);
  for (const { complaint } of lost) expect(complaint).toMatch(/loading the same file/);
  expect(lost.length).toBeLessThanOrEqual(1);
  expect((await dump('company')).length).toBe(8_000);
  expect((await companies(file)).report).toMatchObject({ state: 'ended_before', added: 8_000, unchanged: 0 });
});

describe('a file that cannot be used', () => {
  it.each([
    ['that is not there', undefined, [], /not found/],
    ['that is empty', '', [], /is empty/],
    ['that is binary', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13, 10, 26]), [], /binary/],
    ['that is a spreadsheet', Buffer.from('PK\u0003\u0004abc'), [], /spreadsheet/],
    ['without a usable column', 'a,b\n1,2\n', [], /No column can be used.*The file has a, b/],
    [
      'whose mapping names no column',
      header + row(1),
      ['--map', 'nonsense=name'],
      /no column “nonsense”.*name, website/,
    ],
    [
      'whose mapping names no field',
      header + row(1),
      ['--map', 'size=bigness'],
      /no field “bigness”.*employees/,
    ],
    [
      'whose mapping loads addresses',
      'name,website,e-mail\nA,a.test,a@a.test\n',
      ['--map', 'e-mail=description'],
      /email addresses, which are never stored/,
    ],
    ['in an encoding that is none', header + row(1), ['--encoding', 'klingon'], /Unknown encoding “klingon”/],
  ] as const)('is refused: a file %s', async (_, content, more, complaint) => {
    const file =
      content === undefined ? 'nowhere.csv' : await put('unusable.csv', content as string | Buffer);
    const outcome = await companies(file, ...more);
    expect(outcome).toMatchObject({ code: 1, output: '' });
    expect(outcome.complaint).toMatch(complaint);
    expect(outcome.complaint).not.toMatch(/\n\s+at /);
    expect(await dump('company')).toEqual([]);
  });

  it('is refused: a directory', async () => {
    expect(await runProcess('import', 'companies', '.', ...terms)).toMatchObject({
      code: 1,
      complaint: expect.stringMatching(/is a directory/),
    });
  });

  it.each([
    [
      'whose gzip is cut off',
      gzipSync(header + rows(5_000)).subarray(0, -2_000),
      'cut.csv.gz',
      /is incomplete/,
    ],
    [
      'whose gzip is damaged',
      damaged(gzipSync(header + rows(5_000), { level: 1 })),
      'damaged.csv.gz',
      /damaged|is incomplete/,
    ],
    [
      'with another encoding in the middle',
      Buffer.concat([Buffer.from(header + rows(4_000)), Buffer.from('M\xfcller,m.test,,,,\n', 'latin1')]),
      'mixed.csv',
      /Line 4002: The text is not UTF-8/,
    ],
    [
      'with a quote that is never closed',
      `${header}${rows(4_000)}"open,o.test,,,,\n${rows(100)}`,
      'quote.csv',
      /Line 4002: A quote is not closed/,
    ],
    [
      'with a line without end',
      `${header}${rows(4_000)}${'x'.repeat(3_000_000)}\n`,
      'long.csv',
      /Line 4002: A row is longer/,
    ],
  ] as const)('keeps the rows before the fault: a file %s', async (_, content, name, fault) => {
    const outcome = await companies(await put(name, content as string | Buffer));
    expect(outcome.code).toBe(1);
    expect(outcome.report).toMatchObject({ state: 'broken', fault: expect.stringMatching(fault) });
    const kept = (await dump('company')).length;
    expect(kept).toBe(outcome.report['rowsDone']);
    expect(kept).toBeGreaterThan(0);
    // Later, the whole file is loaded over it.
    const whole = await companies(await put(`whole-${name.replace('.gz', '')}`, header + rows(5_000)));
    expect(whole).toMatchObject({ code: 0, complaint: '', report: { state: 'ended', rowsDone: 5_000 } });
    expect((await dump('company')).length).toBe(5_000);
  });
});

function damaged(packed: Buffer): Buffer {
  const broken = Buffer.from(packed);
  broken.fill(0xff, packed.length - 3_000, packed.length - 2_900);
  return broken;
}

describe('the other commands', () => {
  it('invent the same companies and people for the same seed', async () => {
    const first = await run('synthesize', 'people', '400', '--seed', '5', '--companies', '30', '--json');
    expect(first.report).toMatchObject({ added: 430, changed: 0, unchanged: 0 });
    const again = await run('synthesize', 'people', '400', '--seed', '5', '--companies', '30', '--json');
    expect(again.report).toMatchObject({ added: 0, changed: 0, unchanged: 430 });
    const { rows: real } = await pool.query(
      "SELECT 1 FROM company WHERE NOT is_synthetic OR domain NOT LIKE '%.example'",
    );
    expect(real).toEqual([]);
  });

  it('show and delete a person, and keep them out of what is loaded and invented later', async () => {
    await run('synthesize', 'people', '20', '--companies', '5');
    const [person] = await dump('person');
    const url = person.profile_url as string;
    const shown = await run('subjects', 'show', url, '--json');
    expect(JSON.parse(shown.output)).toMatchObject({ personId: person.person_id, keptUntil: null });
    expect(await run('subjects', 'delete', url, '--json')).toMatchObject({ code: 0, report: { deleted: 1 } });
    expect((await run('subjects', 'show', url)).complaint).toMatch(/There is no data about a person/);
    await run('synthesize', 'people', '20', '--companies', '5');
    expect((await dump('person')).map(({ profile_url }) => profile_url)).not.toContain(url);
    expect((await run('suppressions', 'count', '--json')).report).toEqual({ hashes: 3 });
    const day = new Date().toISOString().slice(0, 10);
    expect((await run('suppressions', 'by-day', '--json')).report).toEqual({
      days: [{ day, actor: 'operator', requests: 1, deleted: 1 }],
    });
    expect((await run('suppressions', 'by-day')).output).toBe(`${day}  operator  1 requests, 1 deleted\n`);
    expect((await run('suppressions', 'add', 'linkedin.com/company/acme')).complaint).toMatch(
      /of an organization/,
    );
  });
});
