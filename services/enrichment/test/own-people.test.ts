import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type OpenTestDatabase, openTestDatabase } from '@mailproof/dev-house';
import { sharedStringsOf, sheetOf, workbookOf } from '@mailproof/dev-house/workbooks';
import { createForgetAccount } from '@mailproof/service-kit';
import {
  type AccountId,
  limits,
  newId,
  type PeopleImportId,
  peopleImportFields,
  type SavedListId,
} from '@mailproof/shared-types';
import pg, { type PoolClient } from 'pg';
import { takeUpload } from '../src/adapters/files/open-upload.ts';
import { openWorkbook } from '../src/adapters/files/open-workbook.ts';
import { accountTables } from '../src/adapters/postgres/account-tables.ts';
import { createExportedPeople } from '../src/adapters/postgres/exported-rows.ts';
import { createMatchKnownPeople, createOwnNameKeyWriter } from '../src/adapters/postgres/known-people.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { createPeopleImportStore } from '../src/adapters/postgres/people-import-store.ts';
import { createRetentionSweep } from '../src/adapters/postgres/privacy/retention-sweep.ts';
import { createSubjects } from '../src/adapters/postgres/privacy/subjects.ts';
import { createProfileStore } from '../src/adapters/postgres/profile-store/profile-store.ts';
import { createSavedLists } from '../src/adapters/postgres/saved-lists.ts';
import { createSavedPeople } from '../src/adapters/postgres/saved-people.ts';
import { createStoredProfiles } from '../src/adapters/postgres/stored-profiles.ts';
import { composePeopleImports } from '../src/compose/people-imports.ts';
import type { Config } from '../src/config.ts';
import { fieldsOf } from '../src/domain/import/fields.ts';
import {
  advanceImport,
  beginPass,
  cancelImport,
  noteImportFault,
  takeOver,
} from '../src/domain/people-import/advance-import.ts';
import { ownFieldsOf, readPart } from '../src/domain/people-import/judge-rows.ts';
import type { PeopleImport } from '../src/domain/people-import/people-import.ts';
import { readUpload } from '../src/domain/people-import/read-upload.ts';
import { unknownPerson } from '../src/domain/profile-store/profile-records.ts';
import { parseProfileUrl } from '../src/domain/profile-url/parse-profile-url.ts';
import { sandboxPeople } from '../src/domain/sandbox/sandbox-records.ts';
import type { Events } from '../src/events.ts';

const suppressionKey = new TextEncoder().encode('a key for tests alone, 32 characters');
const retentionDays = 1_000;
const now = new Date('2026-06-01T12:00:00Z');

let open: OpenTestDatabase;
let owner: pg.Pool;

beforeAll(async () => {
  open = await openTestDatabase('enrichment', openDatabase);
  owner = new pg.Pool({ connectionString: open.ownerUrl, options: '-c search_path=enrichment' });
});
afterAll(async () => {
  await owner.end();
  await open.close();
});
// One test stores 200,000 people, whom a DELETE would remove one by one.
beforeEach(() =>
  owner.query('TRUNCATE people_import, own_person, saved_list, person, suppression, privacy_event CASCADE'),
);

const events = new Proxy({} as Events, { get: () => () => undefined });
const imports = () => createPeopleImportStore(open.pool, { suppressionKey });
const ports = () => ({ imports: imports(), events: { peopleImportEnded: () => undefined }, now: () => now });
const saved = () => createSavedPeople(open.pool);
const subjects = () => createSubjects(open.pool, { suppressionKey, retentionDays, traces: [] });

const url = (slug: string) => `https://www.linkedin.com/in/${slug}`;
const header = 'Name,LinkedIn URL,Title,Company,Website,Email';
const row = (slug: string, title = 'Engineer') =>
  `Person ${slug},${url(slug)},${title},Acme,https://www.acme.test,${slug}@acme.test`;
const fileOf = (...rows: readonly string[]) => [header, ...rows].join('\n');

async function upload(accountId: AccountId, text: string | Buffer): Promise<PeopleImport> {
  async function* octets() {
    yield Buffer.from(text);
  }
  const file = await takeUpload(octets());
  try {
    const record = {
      importId: newId('peopleImport'),
      accountId,
      createdBy: newId('user'),
      name: 'people.csv',
      fileHash: file.sha256,
      createdAt: now,
      deletedAt: new Date(now.getTime() + limits.peopleImportWaitsMs),
    };
    const created = await imports().create(record, readUpload(await file.open({})));
    if (created.kind !== 'created') {
      throw new Error(`The upload is ${created.kind}.`);
    }
    return created.record;
  } finally {
    await file.close();
  }
}

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

async function begin(
  { accountId, importId }: PeopleImport,
  state: 'previewing' | 'importing',
  listId: SavedListId | null = null,
) {
  const outcome = await beginPass(ports(), { accountId, importId, state, mapping: undefined, listId });
  if (outcome.kind !== 'begun') {
    throw new Error(`The pass is ${outcome.kind}.`);
  }
}

/** Takes up to `steps` steps of a pass as one worker. */
async function work(importId: PeopleImportId, steps = 1_000): Promise<void> {
  const runner = `runner ${Math.random()}`;
  await takeOver(ports(), importId, runner);
  for (let step = 0; step < steps; step += 1) {
    if ((await advanceImport(ports(), importId, runner)) !== 'more') {
      return;
    }
  }
}

async function importFile(accountId: AccountId, text: string | Buffer, listId: SavedListId | null = null) {
  const record = await upload(accountId, text);
  await begin(record, 'importing', listId);
  await work(record.importId);
  return found(record.importId);
}

async function found(importId: PeopleImportId): Promise<PeopleImport> {
  const record = await imports().find(importId);
  if (!record) {
    throw new Error('The import is not there.');
  }
  return record;
}

async function rowsOf(table: string): Promise<number> {
  const { rows } = await open.pool.query(`SELECT count(*)::int AS rows FROM ${table}`);
  return rows[0].rows;
}

const page = { sort: 'name', limit: 100 } as const;
const namesOf = async (accountId: AccountId, filters = {}) =>
  (await saved().list(accountId, { ...page, ...filters })).people.map(({ name }) => name);

/** Saves a person of the shared store for an account. */
async function saveFromStore(accountId: AccountId, slug: string): Promise<void> {
  const key = parseProfileUrl(url(slug))?.profileKey ?? '';
  await createProfileStore(open.pool, { suppressionKey, retentionDays }).loadPeople(
    { kind: 'import', name: 'Shared', licence: 'CC0-1.0', retrievedOn: '2026-05-01', fingerprint: 'a' },
    [{ ...unknownPerson, profileKey: key, profileUrl: url(slug), fullName: `Shared ${slug}` }],
    now,
  );
  await open.pool.query(
    'INSERT INTO saved_person (account_id, person_no, run_id) SELECT $1, person_no, $2 FROM person WHERE profile_key = $3',
    [accountId, newId('discoveryRun'), key],
  );
}

async function newList(accountId: AccountId): Promise<SavedListId> {
  const listId = newId('savedList');
  await open.pool.query(
    "INSERT INTO saved_list (list_id, account_id, kind, name, created_by) VALUES ($1, $2, 'people', $1, 'u')",
    [listId, accountId],
  );
  return listId;
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
    const { rows } = await open.pool.query(
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
    open.pool.on('acquire', impatient);
    try {
      const file = await opened(fileOf(row('ada')), () => setTimeout(500));
      expect((await imports().create(newImport(newId('account')), file)).kind).toBe('created');
    } finally {
      open.pool.off('acquire', impatient);
      open.pool.on('acquire', client => void client.query('RESET idle_in_transaction_session_timeout'));
    }
  });

  it('deletes the oldest imports that have ended, if there are too many', async () => {
    const accountId = newId('account');
    const [oldest, second] = [
      await importFile(accountId, fileOf(row('ada'))),
      await importFile(accountId, fileOf(row('bob'))),
    ];
    const other = await importFile(newId('account'), fileOf(row('ada')));
    await open.pool.query(
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
    const { handlers, close } = composePeopleImports({ config, pool: open.pool, events, now: () => now });
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

describe('an import', () => {
  it('is previewed without changing anything, and then does what the preview says', async () => {
    const accountId = newId('account');
    await importFile(accountId, fileOf(row('ada'), row('bob')));
    await saveFromStore(accountId, 'saved');
    const listId = await newList(accountId);
    const text = fileOf(
      row('ada'),
      row('bob', 'CTO'),
      row('new'),
      row('new', 'Twice'),
      row('saved'),
      'Nobody,,Title,Acme,,',
      `,${url('nameless')},,,,`,
      'too,few',
    );
    const record = await upload(accountId, text);
    await begin(record, 'previewing');
    await work(record.importId);
    const previewed = await found(record.importId);
    const expected = {
      added: 1,
      changed: 1,
      unchanged: 1,
      savedBefore: 1,
      blank: {},
      refused: {
        repeated: { rows: 1, lines: [5] },
        no_profile_url: { rows: 1, lines: [7] },
        no_name: { rows: 1, lines: [8] },
        wrong_column_count: { rows: 1, lines: [9] },
      },
    };
    expect(previewed).toMatchObject({ state: 'previewed', preview: expected, rowsDone: 8 });
    expect(await namesOf(accountId)).toEqual(['Person ada', 'Person bob', 'Shared saved']);
    await begin(record, 'importing', listId);
    await work(record.importId);
    expect(await found(record.importId)).toMatchObject({ state: 'succeeded', outcomes: expected });
    const all = ['Person ada', 'Person bob', 'Person new', 'Shared saved'];
    expect(await namesOf(accountId)).toEqual(all);
    expect(await namesOf(accountId, { list_id: listId })).toEqual(all);
    expect(await namesOf(accountId, { import_id: record.importId })).toEqual(['Person bob', 'Person new']);
    expect(await namesOf(accountId, { text: 'cto' })).toEqual(['Person bob']);
    expect(await imports().refusals(record.importNo, 5, 2)).toEqual([
      { line: 7, reason: 'no_profile_url', column: null },
      { line: 8, reason: 'no_name', column: null },
    ]);
    expect(await rowsOf('people_import_part')).toBe(0);
    expect(await rowsOf('people_import_key')).toBe(0);
    expect(await rowsOf('company')).toBe(0);
    // Neither the import nor its columns name anyone any more.
    expect(previewed.columns[0]?.examples).toEqual(['Person ada', 'Person bob', 'Person new']);
    const ended = (await found(record.importId)).columns;
    expect(ended).toEqual(previewed.columns.map(column => ({ ...column, examples: [] })));
  });

  it('uses up no numbers for people whom it changes', async () => {
    const accountId = newId('account');
    const lowest = async () =>
      (await open.pool.query('SELECT min(person_no) AS lowest FROM own_person')).rows[0].lowest;
    await importFile(accountId, fileOf(row('ada'), row('bob')));
    const before = await lowest();
    const { outcomes } = await importFile(
      accountId,
      fileOf(row('ada', 'CEO'), row('bob', 'CTO'), row('carl')),
    );
    expect([outcomes.changed, outcomes.added]).toEqual([2, 1]);
    await importFile(accountId, fileOf(row('dora')));
    expect(await lowest()).toBe(before - 2);
  });

  it('merges like the operator’s: later values win, blanks replace nothing, a new company replaces the old one', async () => {
    const accountId = newId('account');
    const columns =
      'Name,LinkedIn URL,Title,Company,Company Domain,Company Industry,Company Employees,Country';
    await importFile(accountId, `${columns}\nAda,${url('ada')},CEO,Acme,acme.test,Software,120,DE\n`);
    const before = (await saved().list(accountId, page)).people[0];
    expect(before).toMatchObject({
      company: { company_id: null, name: 'Acme', domain: 'acme.test' },
      company_size: '51-200',
      seniority: 'cxo',
      run_id: null,
      source: { kind: 'own_import', name: 'people.csv', licence: 'own data', retrieved_on: '2026-06-01' },
    });
    await importFile(accountId, `${columns}\nAda,${url('ada')},,Bolt,,,,\n`);
    const [after] = (await saved().list(accountId, page)).people;
    expect(after).toMatchObject({
      person_id: before?.person_id,
      job_title: 'CEO',
      company: { name: 'Bolt', domain: null },
      company_size: null,
      location: { country: 'DE' },
    });
    const shown = await saved().find(accountId, before?.person_id ?? newId('person'));
    expect(shown?.provenance['job_title']).toEqual(after?.source);
  });

  it.each([
    [
      'HubSpot',
      {
        ...{
          'Record ID': '1',
          'First Name': 'Ada',
          'Last Name': 'Roe',
          'Job Title': 'CTO',
          'Company name': 'Acme',
        },
        ...{ 'LinkedIn URL': url('ada'), City: 'Austin', 'State/Region': 'Texas', 'Country/Region': 'US' },
        ...{
          Industry: 'Widgets',
          'Number of Employees': '120',
          'Annual Revenue': '5000000',
          'Website URL': '',
        },
      },
      { company_type: null, revenue: '$1-10M' },
    ],
    [
      'Salesforce',
      {
        ...{ FIRSTNAME: 'Ada', LASTNAME: 'Roe', TITLE: 'CTO', 'ACCOUNT.NAME': 'Acme', LINKEDIN: url('ada') },
        ...{
          'ACCOUNT.OWNERSHIP': 'Private',
          'ACCOUNT.INDUSTRY': 'Widgets',
          'ACCOUNT.NUMBEROFEMPLOYEES': '120',
        },
        ...{ 'ACCOUNT.TYPE': 'Customer', MAILINGCITY: 'Austin', MAILINGSTATE: 'Texas', MAILINGCOUNTRY: 'US' },
      },
      { company_type: 'private', revenue: null },
    ],
    [
      'LinkedIn Sales Navigator',
      {
        ...{ 'First Name': 'Ada', 'Last Name': 'Roe', 'Current Job': 'CTO', 'Company Name': 'Acme' },
        ...{
          'Prospect LinkedIn URL': url('ada'),
          'Sales Navigator URL': 'https://www.linkedin.com/sales/lead/A',
        },
        ...{ 'Prospect Location': 'Austin, Texas, United States', 'Company Industry': 'Widgets' },
        ...{ 'Company Type': 'Privately Held', 'Company Employee Range': '51-200' },
      },
      { company_type: 'private', revenue: null },
    ],
  ])('fills in what an export of %s says about an employer without a domain', async (layout, cells, rest) => {
    const accountId = newId('account');
    const lines = [Object.keys(cells), Object.values(cells)].map(each =>
      each.map(cell => `"${cell}"`).join(),
    );
    const record = await importFile(accountId, `${lines.join('\n')}\n`);
    expect([record.layout, record.outcomes.blank]).toEqual([layout, {}]);
    expect((await saved().list(accountId, page)).people).toMatchObject([
      {
        ...{ name: 'Ada Roe', job_title: 'CTO', company: { name: 'Acme' }, industry: 'Widgets', ...rest },
        ...{ company_size: '51-200', location: { city: 'Austin', region: 'Texas', country: 'US' } },
      },
    ]);
  });

  it('reads the connections that LinkedIn exports, below its notes', async () => {
    const accountId = newId('account');
    const notes =
      'Notes:\n"When exporting your connection data, you may notice\nthat addresses are missing."\n\n';
    const columns = 'First Name,Last Name,URL,Email Address,Company,Position,Connected On';
    const rows = [
      `Ada,Roe,${url('ada')},,Acme,CTO,29 Nov 2026`,
      'Bob,Doe,https://www.linkedin.com/feed/,,Acme,CEO,28 Nov 2026',
    ];
    const record = await importFile(accountId, `${notes}${columns}\n${rows.join('\n')}\n`);
    expect(record).toMatchObject({ layout: 'LinkedIn', rowsTotal: 2, outcomes: { added: 1 } });
    expect(await imports().refusals(record.importNo, 0, 10)).toMatchObject([{ line: 7 }]);
    expect((await saved().list(accountId, page)).people).toMatchObject([
      { name: 'Ada Roe', job_title: 'CTO', company: { name: 'Acme' } },
    ]);
  });

  it('continues after a killed worker without losing or repeating rows', async () => {
    const accountId = newId('account');
    const slugs = Array.from({ length: 1_250 }, (_, at) => `p${at}`);
    const record = await upload(accountId, fileOf(...slugs.map(slug => row(slug)), row('p3')));
    await begin(record, 'importing');
    await work(record.importId, 1);
    expect(await found(record.importId)).toMatchObject({ state: 'importing', partsDone: 1, rowsDone: 500 });
    // The killed worker wakes up after another one has taken over.
    const stale = await found(record.importId);
    await work(record.importId, 1);
    expect(await imports().takePart(stale, now)).toBeUndefined();
    await work(record.importId);
    const { outcomes, rowsDone } = await found(record.importId);
    expect([outcomes.added, outcomes.refused.repeated?.rows, rowsDone]).toEqual([1_250, 1, 1_251]);
    expect(await rowsOf('own_person')).toBe(1_250);
  });

  it('has one pass of an account at a time, and can be canceled, retried and deleted', async () => {
    const accountId = newId('account');
    const [one, other] = [
      await upload(accountId, fileOf(row('a'))),
      await upload(accountId, fileOf(row('b'))),
    ];
    await begin(one, 'importing');
    await begin(one, 'importing');
    await expect(begin(other, 'previewing')).rejects.toThrow('tooMany');
    await expect(begin(one, 'previewing')).rejects.toThrow('notWaiting');
    expect(await imports().delete(accountId, one.importId)).toBe('underWay');
    expect((await cancelImport(ports(), accountId, one.importId))?.state).toBe('cancelled');
    await work(one.importId);
    expect(await namesOf(accountId)).toEqual([]);
    await expect(begin(one, 'importing')).rejects.toThrow('notWaiting');
    await begin(other, 'previewing');
    await work(other.importId);
    await begin(other, 'importing');
    await takeOver(ports(), other.importId, 'r');
    for (let at = 0; at < 5; at += 1) await noteImportFault(ports(), other.importId, 'r', false);
    expect(await found(other.importId)).toMatchObject({ state: 'failed', failure: 'could_not_continue' });
    expect(await imports().delete(accountId, other.importId)).toBe('deleted');
    expect(await imports().deleteOutdated(new Date(now.getTime() + limits.peopleImportKeptMs))).toBe(1);
    expect(await rowsOf('people_import')).toBe(0);
  });

  it('refuses mappings that do not fit', async () => {
    const { accountId, importId } = await upload(newId('account'), fileOf(row('a')));
    const faultOf = async (mapping: Record<string, string>) => {
      const outcome = await beginPass(ports(), {
        accountId,
        importId,
        state: 'previewing',
        mapping,
        listId: null,
      });
      return outcome.kind === 'notValid' ? outcome.detail : outcome.kind;
    };
    const basics = { full_name: 'Name', profile_url: 'LinkedIn URL' };
    expect(await faultOf({})).toMatch(/profile_url.*full_name/);
    expect(await faultOf({ ...basics, headline: 'Motto' })).toMatch(/no column “Motto”/);
    expect(await faultOf({ ...basics, headline: 'Email' })).toMatch(/never stored/);
    expect(await faultOf({ ...basics, headline: 'Name' })).toMatch(/mapped twice/);
    expect(await faultOf(basics)).toBe('begun');
    const listId = await newList(newId('account'));
    await work(importId);
    const cancelled = await cancelImport(ports(), accountId, importId);
    expect(cancelled).toMatchObject({ state: 'cancelled', rowsDone: 0, outcomes: { added: 0 } });
    const again = await upload(accountId, fileOf(row('a')));
    await expect(begin(again, 'importing', listId)).rejects.toThrow('noList');
  });
});

describe('imported people', () => {
  it('are seen by their account alone, on every path', async () => {
    const [owner, other] = [newId('account'), newId('account')];
    const record = await importFile(owner, fileOf(row('ada')));
    await importFile(other, fileOf(row('bob')));
    const [ada] = (await saved().list(owner, page)).people;
    const personId = ada?.person_id ?? newId('person');
    const lists = createSavedLists(open.pool);
    const [ownList, foreignList] = [await newList(owner), await newList(other)];
    expect(await lists.addEntries(owner, ownList, [personId])).toBe(1);
    expect((await lists.find(owner, ownList))?.entries).toBe(1);

    expect(await namesOf(other)).toEqual(['Person bob']);
    expect(await namesOf(other, { list_id: ownList })).toEqual([]);
    expect(await namesOf(other, { import_id: record.importId })).toEqual([]);
    expect(await saved().find(other, personId)).toBeUndefined();
    expect(await saved().select(other, { text: 'ada' })).toEqual({ ids: [], more: false });
    expect(await lists.addEntries(other, foreignList, [personId])).toBe(0);
    expect(await lists.removeEntries(other, ownList, [personId])).toBeUndefined();
    expect(await saved().remove(other, [personId])).toEqual({ removed: 0, kept: 0 });
    expect(await saved().removeMatching(other, { text: 'ada' })).toMatchObject({ removed: 0 });
    expect(await imports().findOf(other, record.importId)).toBeUndefined();
    expect(await imports().delete(other, record.importId)).toBe('notFound');
    expect(await cancelImport(ports(), other, record.importId)).toBeNull();

    const exported = createExportedPeople(open.pool);
    const source = { kind: 'saved_people' } as const;
    const listed = await exported.list(owner, source, undefined);
    expect(listed).toMatchObject({ total: 1, is_last: true });
    const keys = listed?.keys ?? [];
    const [cells] = (await exported.read(owner, source, keys))?.rows ?? [];
    expect(cells?.values).toEqual(expect.arrayContaining([personId, 'Person ada', 'people.csv', 'own data']));
    expect((await exported.read(other, source, keys))?.rows).toEqual([]);
    expect(await exported.list(owner, { ...source, list_id: ownList }, undefined)).toMatchObject({
      total: 1,
    });
    expect((await exported.list(other, source, undefined))?.keys).not.toEqual(keys);

    // Nothing that reads the shared store finds them.
    expect(await rowsOf('person')).toBe(0);
    const stored = createStoredProfiles(open.pool);
    const profile = parseProfileUrl(url('ada'));
    expect(profile && (await stored.holds(profile))).toBe(false);
    expect(await namesOf(owner)).toEqual(['Person ada']);
  });

  it('with the same profile are separate records in each account', async () => {
    const [one, other] = [newId('account'), newId('account')];
    await importFile(one, fileOf(row('ada', 'CEO')));
    await importFile(other, fileOf(row('ada', 'Baker')));
    await importFile(other, fileOf(row('ada', 'Smith')));
    const titles = async (accountId: AccountId) =>
      (await saved().list(accountId, page)).people.map(({ job_title }) => job_title);
    expect([await titles(one), await titles(other)]).toEqual([['CEO'], ['Smith']]);
    expect(await saved().removeMatching(other, {})).toMatchObject({ removed: 1 });
    expect([await titles(one), await titles(other)]).toEqual([['CEO'], []]);
  });

  it('have no number of a person of the sandbox', async () => {
    await importFile(newId('account'), fileOf(row('ada')));
    const { rows } = await open.pool.query('SELECT max(person_no) AS highest FROM own_person');
    expect(rows[0].highest).toBeLessThan(Math.min(...sandboxPeople.map(({ personNo }) => personNo)));
  });

  it('leave with their account, also those of an import in progress, and no one else does', async () => {
    const [one, other] = [newId('account'), newId('account')];
    await importFile(one, fileOf(row('ada')), await newList(one));
    await importFile(other, fileOf(row('ada')), await newList(other));
    const running = await upload(one, fileOf(row('bob')));
    await begin(running, 'importing');
    const stale = await found(running.importId);
    await createForgetAccount(open.pool, accountTables)(one);
    expect(await imports().takePart(stale, now)).toBeUndefined();
    await work(running.importId);
    expect(await namesOf(one)).toEqual([]);
    expect(await namesOf(other)).toEqual(['Person ada']);
    expect(await rowsOf('saved_list_entry')).toBe(1);
  });

  it('are removed in every account when they opt out, by profile or by name and company, and refused from then on', async () => {
    const [one, other] = [newId('account'), newId('account')];
    await importFile(one, fileOf(row('ada'), row('bob')), await newList(one));
    const elsewhere = `Dr. Person Ada,https://www.xing.com/profile/Person_Ada,,ACME Inc.,,`;
    await importFile(other, fileOf(elsewhere, row('bob')));
    await saveFromStore(other, 'ada');
    await open.pool.query("UPDATE person SET full_name = 'Person Ada', company_name = 'Acme'");
    const key = parseProfileUrl(url('ada'))?.profileKey ?? '';
    const request = { profileKey: key, reason: 'opt_out', actor: 'opt_out', now } as const;
    expect(await subjects().suppress(request)).toEqual({ deleted: 3 });
    expect([await namesOf(one), await namesOf(other)]).toEqual([['Person bob'], ['Person bob']]);
    const again = await importFile(one, fileOf(row('ada'), elsewhere, row('carl')));
    expect(again.outcomes).toMatchObject({ added: 1, refused: { suppressed: { rows: 2, lines: [2, 3] } } });
  });

  it('are refused if a row completes them to someone who opted out', async () => {
    const accountId = newId('account');
    await saveFromStore(newId('account'), 'janet');
    await open.pool.query("UPDATE person SET full_name = 'Janet Roe', company_name = 'Acme'");
    const key = parseProfileUrl(url('janet'))?.profileKey ?? '';
    await subjects().suppress({ profileKey: key, reason: 'opt_out', actor: 'opt_out', now });
    // Neither file names them with their employer.
    await importFile(accountId, fileOf(`Jane Row,${url('other-profile')},,Acme,,`));
    for (const state of ['previewing', 'importing'] as const) {
      const record = await upload(accountId, fileOf(`Janet Roe,${url('other-profile')},,,,`));
      await begin(record, state);
      await work(record.importId);
      const { preview, outcomes } = await found(record.importId);
      expect(preview ?? outcomes).toMatchObject({ changed: 0, refused: { suppressed: { rows: 1 } } });
      if (state === 'previewing') await cancelImport(ports(), accountId, record.importId);
    }
    expect(await namesOf(accountId)).toEqual(['Jane Row']);
  });

  it('are shown to the operator for a subject access request, without their accounts', async () => {
    const accountId = newId('account');
    await importFile(accountId, fileOf(row('ada', 'CEO'), row('bob')));
    const key = parseProfileUrl(url('ada'))?.profileKey ?? '';
    const { stored, imported } = await subjects().show(key, now);
    expect([stored, imported.length]).toEqual([undefined, 1]);
    expect(imported[0]).toMatchObject({
      fields: { full_name: 'Person ada', job_title: 'CEO' },
      changedAt: now,
    });
    expect(JSON.stringify(imported)).not.toContain(accountId);
  });

  it('are removed by a release that does not know them, because the database does it', async () => {
    const accountId = newId('account');
    await importFile(accountId, fileOf(row('ada'), row('bob')));
    await open.pool.query(
      `INSERT INTO suppression (key_hash, reason, suppressed_at)
       SELECT recognition_hashes[1], 'opt_out', now() FROM own_person WHERE full_name = 'Person ada'`,
    );
    expect(await namesOf(accountId)).toEqual(['Person bob']);
  });

  it('do not add to what suppresses people elsewhere', async () => {
    const [one, other] = [newId('account'), newId('account')];
    // A false statement of one account must not remove people of another one.
    await importFile(one, fileOf(`Person bob,${url('impostor')},,Acme,https://www.acme.test,`));
    await importFile(other, fileOf(row('bob')));
    const key = parseProfileUrl(url('impostor'))?.profileKey ?? '';
    await subjects().suppress({ profileKey: key, reason: 'opt_out', actor: 'opt_out', now });
    expect([await namesOf(one), await namesOf(other)]).toEqual([[], ['Person bob']]);
  });

  it('are deleted after the retention period, counted from their first import', async () => {
    const accountId = newId('account');
    await importFile(accountId, fileOf(row('ada')));
    await open.pool.query("UPDATE own_person SET saved_at = saved_at - interval '999 days'");
    await importFile(accountId, fileOf(row('ada', 'CEO'), row('bob')));
    const sweep = createRetentionSweep(open.pool, retentionDays);
    expect(await sweep.sweep(now)).toEqual({ deleted: 0 });
    expect(await sweep.sweep(new Date(now.getTime() + 2 * 86_400_000))).toEqual({ deleted: 1 });
    expect(await namesOf(accountId)).toEqual(['Person bob']);
  });

  it('are bounded for each account', async () => {
    const accountId = newId('account');
    const portion = 10_000;
    for (let from = 1; from < limits.ownPeopleMax; from += portion) {
      await open.pool.query(
        `INSERT INTO own_person (person_id, account_id, profile_key, profile_url, full_name, import_id, import_name,
           recognition_hashes, saved_at, updated_at)
         SELECT 'pers_' || md5(i::text), $1, i::text, 'https://x.test', 'P', 'i', 'i', '{}', now(), now()
         FROM generate_series($2::int, $3::int) i`,
        [accountId, from, Math.min(from + portion, limits.ownPeopleMax) - 1],
      );
    }
    const record = await upload(accountId, fileOf(row('ada'), row('bob')));
    for (const state of ['previewing', 'importing'] as const) {
      await begin(record, state);
      await work(record.importId);
      const { outcomes, preview } = await found(record.importId);
      const expected = { added: 1, refused: { too_many_people: { rows: 1, lines: [3] } } };
      expect(state === 'previewing' ? preview : outcomes).toMatchObject(expected);
    }
    await importFile(newId('account'), fileOf(row('ada')));
  });

  it('are evidence about addresses at the company of their row, for their account alone', async () => {
    const accountId = newId('account');
    await importFile(accountId, fileOf(row('lovelace'), row('hopper')));
    while ((await createOwnNameKeyWriter(open.pool).writeNext()) > 0);
    const match = createMatchKnownPeople(open.pool, () => now);
    const localParts = ['person.lovelace', 'phopper', 'no.person'];
    const [byName, byInitial, noOne] = (await match('acme.test', localParts, accountId)).matches;
    expect(byName).toMatchObject({ current: [{ pattern: 'first.last' }], restsOnOwnPeople: true });
    expect(byInitial).toMatchObject({ current: [{ pattern: 'flast' }], restsOnOwnPeople: true });
    expect(noOne).toEqual({ current: [], hasLeft: false });
    for (const other of [newId('account'), undefined]) {
      const { matches } = await match('acme.test', localParts, other);
      expect(matches).toEqual(localParts.map(() => ({ current: [], hasLeft: false })));
    }
  });
});
