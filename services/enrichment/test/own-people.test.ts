import { describe, expect, it } from '@jest/globals';
import { createForgetAccount } from '@mailproof/service-kit';
import { type AccountId, limits, newId, type SavedListId } from '@mailproof/shared-types';
import { accountTables } from '../src/adapters/postgres/account-tables.ts';
import { createExportedPeople } from '../src/adapters/postgres/exported-rows.ts';
import { createMatchKnownPeople, createOwnNameKeyWriter } from '../src/adapters/postgres/known-people.ts';
import { createRetentionSweep } from '../src/adapters/postgres/privacy/retention-sweep.ts';
import { createSubjects } from '../src/adapters/postgres/privacy/subjects.ts';
import { createProfileStore } from '../src/adapters/postgres/profile-store/profile-store.ts';
import { createSavedLists } from '../src/adapters/postgres/saved-lists.ts';
import { createStoredProfiles } from '../src/adapters/postgres/stored-profiles.ts';
import {
  beginPass,
  cancelImport,
  noteImportFault,
  takeOver,
} from '../src/domain/people-import/advance-import.ts';
import { unknownPerson } from '../src/domain/profile-store/profile-records.ts';
import { parseProfileUrl } from '../src/domain/profile-url/parse-profile-url.ts';
import { sandboxPeople } from '../src/domain/sandbox/sandbox-records.ts';
import { fileOf, importsOfPeople, now, page, row, suppressionKey, url } from './imports-of-people.ts';

const { imports, ports, saved, upload, begin, work, importFile, found, rowsOf, namesOf, pool } =
  importsOfPeople();

const retentionDays = 1_000;
const subjects = () => createSubjects(pool(), { suppressionKey, retentionDays, traces: [] });

/** Saves a person of the shared store for an account. */
async function saveFromStore(accountId: AccountId, slug: string): Promise<void> {
  const key = parseProfileUrl(url(slug))?.profileKey ?? '';
  await createProfileStore(pool(), { suppressionKey, retentionDays }).loadPeople(
    { kind: 'import', name: 'Shared', licence: 'CC0-1.0', retrievedOn: '2026-05-01', fingerprint: 'a' },
    [{ ...unknownPerson, profileKey: key, profileUrl: url(slug), fullName: `Shared ${slug}` }],
    now,
  );
  await pool().query(
    'INSERT INTO saved_person (account_id, person_no, run_id) SELECT $1, person_no, $2 FROM person WHERE profile_key = $3',
    [accountId, newId('discoveryRun'), key],
  );
}

async function newList(accountId: AccountId): Promise<SavedListId> {
  const listId = newId('savedList');
  await pool().query(
    "INSERT INTO saved_list (list_id, account_id, kind, name, created_by) VALUES ($1, $2, 'people', $1, 'u')",
    [listId, accountId],
  );
  return listId;
}

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
      (await pool().query('SELECT min(person_no) AS lowest FROM own_person')).rows[0].lowest;
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
    const lists = createSavedLists(pool());
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

    const exported = createExportedPeople(pool());
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
    const stored = createStoredProfiles(pool());
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
    const { rows } = await pool().query('SELECT max(person_no) AS highest FROM own_person');
    expect(rows[0].highest).toBeLessThan(Math.min(...sandboxPeople.map(({ personNo }) => personNo)));
  });

  it('leave with their account, also those of an import in progress, and no one else does', async () => {
    const [one, other] = [newId('account'), newId('account')];
    await importFile(one, fileOf(row('ada')), await newList(one));
    await importFile(other, fileOf(row('ada')), await newList(other));
    const running = await upload(one, fileOf(row('bob')));
    await begin(running, 'importing');
    const stale = await found(running.importId);
    await createForgetAccount(pool(), accountTables)(one);
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
    await pool().query("UPDATE person SET full_name = 'Person Ada', company_name = 'Acme'");
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
    await pool().query("UPDATE person SET full_name = 'Janet Roe', company_name = 'Acme'");
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
    await pool().query(
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
    await pool().query("UPDATE own_person SET saved_at = saved_at - interval '999 days'");
    await importFile(accountId, fileOf(row('ada', 'CEO'), row('bob')));
    const sweep = createRetentionSweep(pool(), retentionDays);
    expect(await sweep.sweep(now)).toEqual({ deleted: 0 });
    expect(await sweep.sweep(new Date(now.getTime() + 2 * 86_400_000))).toEqual({ deleted: 1 });
    expect(await namesOf(accountId)).toEqual(['Person bob']);
  });

  it('are bounded for each account', async () => {
    const accountId = newId('account');
    const portion = 10_000;
    for (let from = 1; from < limits.ownPeopleMax; from += portion) {
      await pool().query(
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
    while ((await createOwnNameKeyWriter(pool()).writeNext()) > 0);
    const match = createMatchKnownPeople(pool(), () => now);
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
