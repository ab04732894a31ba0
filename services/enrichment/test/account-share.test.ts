import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { columnsOfSchema, createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import { accountTableFaults, createAccountReader, createForgetAccount } from '@mailproof/service-kit';
import { type AccountId, newId } from '@mailproof/shared-types';
import pg from 'pg';
import { accountTables, tablesWithoutAccount } from '../src/adapters/postgres/account-tables.ts';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createTestDatabase('enrichment');
  pool = new pg.Pool({ connectionString: database.databaseUrl, max: 2 });
});

afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

/** Creates an account with a row in every table. */
async function fill(): Promise<AccountId> {
  const accountId = newId('account');
  const [searchId, runId, listId] = [newId('discoverySearch'), newId('discoveryRun'), newId('savedList')];
  const source = await pool.query(
    `INSERT INTO source (kind, name, licence, retrieved_on) VALUES ('synthetic', $1, 'none', '2026-01-01')
     RETURNING source_id`,
    [accountId],
  );
  const sourceId = source.rows[0].source_id;
  const company = await pool.query(
    `INSERT INTO company (company_id, domain, name, source_id) VALUES ($1, $1 || '.example', 'A company', $2)
     RETURNING company_no`,
    [newId('company'), sourceId],
  );
  const companyNo = company.rows[0].company_no;
  const person = await pool.query(
    `INSERT INTO person (person_id, profile_key, profile_url, full_name, source_id)
     VALUES ($1, $1, 'https://profiles.example/', 'A person', $2) RETURNING person_no`,
    [newId('person'), sourceId],
  );
  const personNo = person.rows[0].person_no;
  await pool.query(
    `INSERT INTO discovery_search (search_id, account_id, kind, name, query, created_by)
     VALUES ($1, $2, 'people', 'A search', '{}', 'user')`,
    [searchId, accountId],
  );
  await pool.query(
    `INSERT INTO discovery_run (run_id, search_id, account_id, requested, price, hold_amount, created_by, state)
     VALUES ($1, $2, $3, 1, 1, 1, 'user', 'succeeded')`,
    [runId, searchId, accountId],
  );
  await pool.query('INSERT INTO saved_person (account_id, person_no, run_id) VALUES ($1, $2, $3)', [
    accountId,
    personNo,
    runId,
  ]);
  await pool.query('INSERT INTO paid_company (account_id, company_no, run_id) VALUES ($1, $2, $3)', [
    accountId,
    companyNo,
    runId,
  ]);
  await pool.query(
    `INSERT INTO lookalike_result (search_id, company_no, run_id, rank, strength, reasons)
     VALUES ($1, $2, $3, 1, 0.5, '{}')`,
    [searchId, companyNo, runId],
  );
  await pool.query(
    "INSERT INTO saved_list (list_id, account_id, kind, name, created_by) VALUES ($1, $2, 'people', 'A list', 'user')",
    [listId, accountId],
  );
  await pool.query(
    `INSERT INTO profile_provider (account_id, settings, sealed_secrets, updated_at) VALUES ($1, '{}', 'sealed', now())`,
    [accountId],
  );
  await pool.query(
    `INSERT INTO provider_answer (account_id, key_hash, answer, said_at, expires_at)
     VALUES ($1, sha256('a profile'), '{}', now(), now())`,
    [accountId],
  );
  await pool.query('INSERT INTO saved_list_entry (list_id, person_no) VALUES ($1, $2)', [listId, personNo]);
  const own = await pool.query(
    `INSERT INTO own_person (person_id, account_id, profile_key, profile_url, full_name, import_id, import_name,
       recognition_hashes, saved_at, updated_at)
     VALUES ($1, $2, 'a profile', 'https://profiles.example/', 'A person', 'an import', 'A file', '{}', now(), now())
     RETURNING person_no`,
    [newId('person'), accountId],
  );
  await pool.query('INSERT INTO saved_list_entry (list_id, own_person_no) VALUES ($1, $2)', [
    listId,
    own.rows[0].person_no,
  ]);
  const imported = await pool.query(
    `INSERT INTO people_import (import_id, account_id, created_by, name, state, format, encoding, encoding_is_guess,
       columns, detected, rows_total, file_hash, created_at, moved_at, deleted_at)
     VALUES ($1, $2, 'user', 'A file', 'importing', 'csv', 'utf-8', false, '[]', '{}', 1, '', now(), now(), now())
     RETURNING import_no`,
    [newId('peopleImport'), accountId],
  );
  const importNo = imported.rows[0].import_no;
  await pool.query("INSERT INTO people_import_part VALUES ($1, 0, '[]')", [importNo]);
  await pool.query("INSERT INTO people_import_key VALUES ($1, 'a profile')", [importNo]);
  await pool.query("INSERT INTO people_import_refusal VALUES ($1, 1, 'no_name')", [importNo]);
  await pool.query("INSERT INTO saved_list_domain (list_id, domain) VALUES ($1, 'a.example')", [listId]);
  await pool.query("INSERT INTO event (event_id, account_id, type, data) VALUES ($1, $2, 'tested', '{}')", [
    newId('event'),
    accountId,
  ]);
  return accountId;
}

const tablesOf = async (accountId: AccountId) => [
  ...new Set(
    (await createAccountReader(pool, accountTables)(accountId, undefined)).rows.map(({ table }) => table),
  ),
];

describe('an account’s share', () => {
  it('covers every column that there is, and exempts none that names an account or a user', async () => {
    const columns = await columnsOfSchema(database.databaseUrl);
    expect(accountTableFaults(columns, accountTables, tablesWithoutAccount)).toEqual([]);
    for (const table of Object.keys(tablesWithoutAccount)) {
      expect(columns.get(table)?.filter(column => /account|user|email/.test(column))).toEqual([]);
    }
  });

  it('is exported and deleted completely, and no other account’s data is', async () => {
    const [one, other] = [await fill(), await fill()];
    const all = accountTables.map(({ table }) => table);
    expect(await tablesOf(one)).toEqual(all);
    expect(await createForgetAccount(pool, accountTables)(one)).toMatchObject({ remaining: false });
    expect(await tablesOf(one)).toEqual([]);
    expect(await tablesOf(other)).toEqual(all);
    const { rows } = await pool.query('SELECT (SELECT count(*) FROM person)::int AS people');
    expect(rows).toEqual([{ people: 2 }]);
  });
});
