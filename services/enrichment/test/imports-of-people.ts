import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import { type OpenTestDatabase, openTestDatabase } from '@mailproof/dev-house';
import {
  type AccountId,
  limits,
  newId,
  type PeopleImportId,
  type SavedListId,
} from '@mailproof/shared-types';
import pg from 'pg';
import { takeUpload } from '../src/adapters/files/open-upload.ts';
import { openDatabase } from '../src/adapters/postgres/open.ts';
import { createPeopleImportStore } from '../src/adapters/postgres/people-import-store.ts';
import { createSavedPeople } from '../src/adapters/postgres/saved-people.ts';
import { advanceImport, beginPass, takeOver } from '../src/domain/people-import/advance-import.ts';
import type { PeopleImport } from '../src/domain/people-import/people-import.ts';
import { readUpload } from '../src/domain/people-import/read-upload.ts';

export const suppressionKey = new TextEncoder().encode('a key for tests alone, 32 characters');
export const now = new Date('2026-06-01T12:00:00Z');
export const page = { sort: 'name', limit: 100 } as const;

export const url = (slug: string) => `https://www.linkedin.com/in/${slug}`;
export const header = 'Name,LinkedIn URL,Title,Company,Website,Email';
export const row = (slug: string, title = 'Engineer') =>
  `Person ${slug},${url(slug)},${title},Acme,https://www.acme.test,${slug}@acme.test`;
export const fileOf = (...rows: readonly string[]) => [header, ...rows].join('\n');

/** Imports files of people into a database of the test file, whose people are gone before each test. */
export function importsOfPeople() {
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

  const imports = () => createPeopleImportStore(open.pool, { suppressionKey });
  const ports = () => ({
    imports: imports(),
    events: { peopleImportEnded: () => undefined },
    now: () => now,
  });
  const saved = () => createSavedPeople(open.pool);

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

  const namesOf = async (accountId: AccountId, filters = {}) =>
    (await saved().list(accountId, { ...page, ...filters })).people.map(({ name }) => name);
  return {
    pool: () => open.pool,
    imports,
    ports,
    saved,
    upload,
    begin,
    work,
    importFile,
    found,
    rowsOf,
    namesOf,
  };
}
