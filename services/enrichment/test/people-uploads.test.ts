import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { sharedStringsOf, sheetOf, workbookOf } from '@mailproof/dev-house/workbooks';
import { type AccountId, limits, newId, peopleImportFields } from '@mailproof/shared-types';
import type { PoolClient } from 'pg';
import { takeUpload } from '../src/adapters/files/open-upload.ts';
import { openWorkbook } from '../src/adapters/files/open-workbook.ts';
import { composePeopleImports } from '../src/compose/people-imports.ts';
import type { Config } from '../src/config.ts';
import { fieldsOf } from '../src/domain/import/fields.ts';
import { beginPass } from '../src/domain/people-import/advance-import.ts';
import { ownFieldsOf, readPart } from '../src/domain/people-import/judge-rows.ts';
import type { PeopleImport } from '../src/domain/people-import/people-import.ts';
import { readUpload } from '../src/domain/people-import/read-upload.ts';
import type { Events } from '../src/events.ts';
import { fileOf, header, importsOfPeople, now, page, row, suppressionKey, url } from './imports-of-people.ts';

const { imports, ports, saved, upload, begin, work, importFile, found, rowsOf, namesOf, pool } =
  importsOfPeople();

const events = new Proxy({} as Events, { get: () => () => undefined });

function newImport(accountId: AccountId) {
  const ids = { importId: newId('peopleImport'), accountId, createdBy: newId('user') };
  return { ...ids, name: 'people.csv', fileHash: Buffer.alloc(32), createdAt: now, deletedAt: now };
}

/** An opened file that is read as slowly as a test wants. */
async function opened(text: string, pause: () => Promise<void>) {
  async function* octets() {
    yield Buffer.from(text);
  }
  const file = await takeUpload(octets());
  const { facts, parts } = readUpload(await file.open({}));
  async function* slowly() {
    for await (const part of parts) {
      await pause();
      yield part;
    }
    await file.close();
  }
  return { facts, parts: slowly() };
}

describe('an upload', () => {
  it('recognizes columns, shows examples and keeps no email address', async () => {
    const text = fileOf(
      row('ada'),
      `Grace,${url('grace')},"Ask grace%40acme.test or grace [at] acme.test",Acme,,grace@acme.test`,
      `${url('x')}?mail=eve@acme.test,Eve <eve@acme.test>,,,,`,
    );
    const record = await upload(newId('account'), text);
    expect(record).toMatchObject({ format: 'csv', encoding: 'utf-8', encodingIsGuess: false, rowsTotal: 3 });
    expect(record.detected).toEqual({
      full_name: 'Name',
      profile_url: 'LinkedIn URL',
      job_title: 'Title',
      company_name: 'Company',
      company_domain: 'Website',
    });
    expect(record.columns.at(1)).toMatchObject({ name: 'LinkedIn URL', holdsAddresses: false });
    expect(record.columns.at(-1)).toEqual({ name: 'Email', examples: [], holdsAddresses: true });
    const { rows } = await pool().query(
      'SELECT (SELECT json_agg(p) FROM people_import_part p)::text || (SELECT json_agg(i) FROM people_import i)::text AS stored',
    );
    expect(rows[0].stored).toContain('address@removed.invalid');
    expect(rows[0].stored).not.toMatch(/acme\.test"?,? *"?Email|grace ?(?:@|%40|\[at\])|eve@/);
  });

  it('reads windows-1252, UTF-16 and NDJSON', async () => {
    const name = 'Zoë Müller';
    const latin = await upload(
      newId('account'),
      Buffer.from(`Name,LinkedIn\n${name},${url('zoe')}\n`, 'latin1'),
    );
    expect(latin).toMatchObject({ encoding: 'windows-1252', encodingIsGuess: true });
    expect(latin.columns[0]?.examples).toEqual([name]);
    const wide = await upload(
      newId('account'),
      Buffer.from(`\ufeffName;LinkedIn\n${name};${url('zoe')}\n`, 'utf16le'),
    );
    expect(wide).toMatchObject({ encoding: 'utf-16le', encodingIsGuess: false });
    expect(wide.columns.map(({ name: each }) => each)).toEqual(['Name', 'LinkedIn']);
    const lines = `${JSON.stringify({ name: `A\0da\ud800`, linkedin_url: url('a'), skills: ['a', 'b@c.test'] })}\n`;
    expect(await upload(newId('account'), lines)).toMatchObject({ format: 'ndjson', rowsTotal: 1 });
  });

  it('reads the first sheet of a workbook, however the workbook before ended', async () => {
    const accountId = newId('account');
    const many = Array.from({ length: 300 }, (_, at) => ['Eve', url(`e${at}`)]);
    for (const rows of [[], [['Name', 'LinkedIn']]]) {
      const empty = await workbookOf({ sheets: { People: rows } });
      await expect(upload(accountId, empty)).rejects.toThrow(/sheet|rows/);
    }
    const rows = [['Name', 'LinkedIn', 'Email'], ...many, ['Ada', url('ada'), 'ada@acme.test'], ['No one']];
    const record = await upload(accountId, await workbookOf({ sheets: { People: rows } }));
    expect(record).toMatchObject({
      format: 'xlsx',
      rowsTotal: 302,
      columns: [{}, {}, { holdsAddresses: true }],
    });
    await begin(record, 'importing');
    await work(record.importId);
    const { outcomes } = await found(record.importId);
    expect(outcomes).toMatchObject({ added: 301, refused: { no_profile_url: { rows: 1, lines: [303] } } });
  });

  it('refuses what is no table, and too many rows', async () => {
    for (const [content, message] of [
      ['', /empty/],
      [Buffer.from('PK\u0003\u0004'), /workbook|archive|read/i],
      [Buffer.from([0x1f, 0x8b, 8, 0]), /compressed/],
      [Buffer.from('d0cf11e0a1b11ae1', 'hex'), /before 2007 .* password/],
      ['[\n  {"name":"Ada"}\n]', /JSON array/],
      [header, /no rows/],
    ] as const) {
      await expect(upload(newId('account'), content)).rejects.toThrow(message);
    }
    const many = Array.from({ length: limits.peopleImportRowsMax + 1 }, () => 'a,b').join('\n');
    await expect(upload(newId('account'), `x,y\n${many}`)).rejects.toThrow();
    expect(await rowsOf('people_import')).toBe(0);
  });

  it.each([
    ['CSV', `constructor,__proto__,toString,Name,LinkedIn\n,,,Ada,${url('ada')}\nA,B,C,Bob,${url('bob')}\n`],
    [
      'NDJSON',
      `{"name":"Ada","linkedin":"${url('ada')}"}\n{"constructor":"A","__proto__":["B"],"toString":"C","name":"Bob","linkedin":"${url('bob')}"}\n`,
    ],
  ])('can have columns with the names of what every object has, in %s', async (_format, text) => {
    const record = await upload(newId('account'), text);
    const names = record.columns.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['constructor', '__proto__', 'toString']));
    expect(record.columns.find(({ name }) => name === '__proto__')?.examples).toEqual(['B']);
    const mapping = { ...record.detected, headline: 'constructor', job_title: '__proto__', city: 'toString' };
    const request = { accountId: record.accountId, importId: record.importId, mapping, listId: null };
    expect(await beginPass(ports(), { ...request, state: 'importing' })).toMatchObject({ kind: 'begun' });
    await work(record.importId);
    const { people } = await saved().list(record.accountId, page);
    expect(people.map(({ headline, job_title, location }) => [headline, job_title, location.city])).toEqual([
      [null, null, null],
      ['A', 'B', 'C'],
    ]);
  });

  it('has names of columns that are cut off and tell columns apart', async () => {
    const record = await upload(newId('account'), `a,a (2),a,${'x'.repeat(5_000)}\n1,2,3,4\n`);
    const names = record.columns.map(({ name }) => name);
    expect(names).toEqual(['a', 'a (2)', 'a (3)', 'x'.repeat(limits.columnNameCharactersMax)]);
    expect(record.columns.map(({ examples }) => examples)).toEqual([['1'], ['2'], ['3'], ['4']]);
  });

  it('is refused before its columns and texts fill the memory', async () => {
    const keys = Array.from({ length: 80_000 }, (_, at) => `"k${at}":1`);
    await expect(upload(newId('account'), `{${keys.join()}}\n`)).rejects.toThrow(/80000 columns/);
    const wide = (cells: number) =>
      sheetOf([
        '<row><c t="inlineStr"><is><t>Name</t></is></c></row>',
        ...Array.from({ length: 200 }, () => {
          // Without the numbers, the archive would be refused as a ZIP bomb.
          const texts = Array.from({ length: cells }, () => `<v>${Math.floor(Math.random() * 10)}</v>`);
          return `<row>${texts.map(text => `<c t="s">${text}</c>`).join('')}</row>`;
        }),
      ]);
    const texts = Array.from({ length: 10 }, (_, at) => `${at}${'x'.repeat(32_000)}`);
    for (const [cells, message] of [
      [200, /row has more than 1048576 characters/],
      [31, /cells of the file have more than 100,000,000 characters/],
    ] as const) {
      const header = Array.from({ length: cells }, (_, at) => `column ${at}`);
      const xml = [...wide(cells)];
      xml[1] = `<row>${header.map(name => `<c t="inlineStr"><is><t>${name}</t></is></c>`).join('')}</row>`;
      const workbook = await workbookOf({
        sheets: { People: { xml } },
        sharedStrings: sharedStringsOf(texts),
      });
      await expect(upload(newId('account'), workbook)).rejects.toThrow(message);
    }
    expect(await rowsOf('people_import_part')).toBe(0);
  });

  it('of a workbook may not take longer than others can wait, and lets the next one in', async () => {
    const rows = [['Name'], ...Array.from({ length: 20_000 }, (_, at) => [`Person ${at}`])];
    const workbook = await workbookOf({ sheets: { People: rows } });
    const read = async (readMsMax?: number) => {
      async function* octets() {
        yield workbook;
      }
      const { rows: opened, close } = await openWorkbook(octets(), readMsMax);
      try {
        let count = 0;
        for await (const each of opened) count += 'values' in each ? 1 : 0;
        return count;
      } finally {
        await close();
      }
    };
    await expect(read(0)).rejects.toThrow(/took more than 0 seconds/);
    expect(await read()).toBe(20_000);
  });

  it('of long rows is stored and imported in parts that fit into memory', async () => {
    const note = 'x'.repeat(30_000);
    const rows = Array.from({ length: 200 }, (_, at) => `P ${at},${url(`p${at}`)},${note}`);
    const record = await upload(newId('account'), `Name,LinkedIn,Note\n${rows.join('\n')}\n`);
    expect(await rowsOf('people_import_part')).toBe(3);
    await begin(record, 'importing');
    await work(record.importId, 1);
    expect(await found(record.importId)).toMatchObject({ partsDone: 1, rowsDone: 67 });
    await work(record.importId);
    expect(await found(record.importId)).toMatchObject({ state: 'succeeded', outcomes: { added: 200 } });
  });

  it('may pause between two rows for longer than other transactions', async () => {
    const impatient = (client: PoolClient) =>
      void client.query('SET idle_in_transaction_session_timeout = 100');
    pool().on('acquire', impatient);
    try {
      const file = await opened(fileOf(row('ada')), () => setTimeout(500));
      expect((await imports().create(newImport(newId('account')), file)).kind).toBe('created');
    } finally {
      pool().off('acquire', impatient);
      pool().on('acquire', client => void client.query('RESET idle_in_transaction_session_timeout'));
    }
  });

  it('deletes the oldest imports that have ended, if there are too many', async () => {
    const accountId = newId('account');
    const [oldest, second] = [
      await importFile(accountId, fileOf(row('ada'))),
      await importFile(accountId, fileOf(row('bob'))),
    ];
    const other = await importFile(newId('account'), fileOf(row('ada')));
    await pool().query(
      `INSERT INTO people_import (import_id, account_id, created_by, name, state, format, encoding, encoding_is_guess,
         columns, detected, rows_total, file_hash, created_at, moved_at, ended_at, deleted_at)
       SELECT import_id || i, account_id, created_by, name, state, format, encoding, encoding_is_guess, columns, detected,
         rows_total, file_hash, created_at, moved_at, ended_at, deleted_at
       FROM people_import, generate_series(2, $2) i WHERE import_id = $1`,
      [second.importId, limits.endedPeopleImportsMax],
    );
    const waiting = await upload(accountId, fileOf(row('carl')));
    const ids = [oldest, second, other, waiting].map(({ importId }) => importId);
    const kept = await Promise.all(ids.map(async importId => (await imports().find(importId)) !== undefined));
    expect(kept).toEqual([false, true, true, true]);
    expect(await namesOf(accountId)).toEqual(['Person ada', 'Person bob']);
  });

  it('delays nothing else of its account, is stored once, and counts others that end first', async () => {
    const accountId = newId('account');
    const gate = Promise.withResolvers<void>();
    const record = newImport(accountId);
    const [one, same, other] = [record, record, newImport(accountId)].map(async each =>
      imports().create(each, await opened(fileOf(row('ada')), () => gate.promise)),
    );
    for (let at = 1; at < limits.waitingPeopleImportsMax; at += 1) {
      await upload(accountId, fileOf(row(`p${at}`)));
    }
    const [waiting] = (await imports().list(accountId, { limit: 1 })).imports;
    await begin(waiting as PeopleImport, 'importing');
    await work((waiting as PeopleImport).importId);
    await upload(accountId, fileOf(row('last')));
    gate.resolve();
    const kinds = (await Promise.all([one, same, other])).map(each => each?.kind).sort();
    // There is room for one more, and an upload that is refused does not count.
    expect([
      ['created', 'repeated', 'tooMany'],
      ['created', 'tooMany', 'tooMany'],
    ]).toContainEqual(kinds);
    expect((await imports().list(accountId, { state: 'uploaded', limit: 100 })).imports).toHaveLength(
      limits.waitingPeopleImportsMax,
    );
  });

  it('leaves room for those of other accounts', async () => {
    const config = { SUPPRESSION_HASH_KEY: suppressionKey } as Config;
    const { handlers, close } = composePeopleImports({ config, pool: pool(), events, now: () => now });
    const gate = Promise.withResolvers<void>();
    const send = (accountId: AccountId, wait?: Promise<void>) => {
      async function* body() {
        yield Buffer.from(`${header}\n`);
        await wait;
        yield Buffer.from(`${row('ada')}\n`);
      }
      const params = { accountId, callerId: newId('user') } as never;
      const context = { header: () => undefined } as unknown as Parameters<
        typeof handlers.createPeopleImport
      >[1];
      return handlers.createPeopleImport({ params, query: {}, body: body() }, context);
    };
    const [greedy, other] = [newId('account'), newId('account')];
    const slow = [send(greedy, gate.promise), send(greedy, gate.promise)];
    await expect(send(greedy)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await send(other)).toMatchObject({ state: 'uploaded', rows: 1 });
    gate.resolve();
    expect(await Promise.all(slow)).toMatchObject([{ rows: 1 }, { rows: 1 }]);
    expect(await send(greedy)).toMatchObject({ rows: 1 });
    await close();
  });

  it('is refused while too many wait', async () => {
    const accountId = newId('account');
    for (let at = 0; at < limits.waitingPeopleImportsMax; at += 1) {
      await upload(accountId, fileOf(row('ada')));
    }
    await expect(upload(accountId, fileOf(row('ada')))).rejects.toThrow('tooMany');
    await upload(newId('account'), fileOf(row('ada')));
  });

  it('has the fields of the contract, each of which is stored', () => {
    const known = new Set(fieldsOf('people').map(({ name }) => name));
    const texts: Partial<Record<string, string>> = {
      ...{ profile_url: url('ada'), company_domain: 'acme.test', company_type: 'Privately Held' },
      ...{
        company_employees: '120',
        company_revenue: '$5M',
        country: 'Germany',
        location: 'Berlin, Germany',
      },
      ...{ website: 'https://ada.test', followers: '12', connections: '500', seniority: "['vp']" },
      ...{ department: 'Engineering & Technical' },
    };
    const storedOf = (mapping: Record<string, string>) => {
      const values = Object.fromEntries(
        Object.keys(mapping).map(field => [field, texts[field] ?? `A ${field}`]),
      );
      const [read] = readPart([{ line: 2, values }], mapping);
      if (!read || !('record' in read)) throw new Error('The row is refused.');
      expect(read.ignored).toEqual([]);
      return ownFieldsOf(read.record);
    };
    const basics = { profile_url: 'profile_url', full_name: 'full_name' };
    for (const field of Object.keys(peopleImportFields).filter(each => !(each in basics))) {
      expect(known).toContain(field);
      expect([field, storedOf({ ...basics, [field]: field })]).not.toEqual([field, storedOf(basics)]);
    }
  });
});
