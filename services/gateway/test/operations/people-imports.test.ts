import { afterAll, beforeAll, expect } from '@jest/globals';
import {
  cancelPeopleImport,
  createPeopleImport,
  deletePeopleImport,
  downloadRefusedPeople,
  followPeopleImport,
  getPeopleImport,
  limits,
  listPeopleImports,
  newId,
  peopleImport,
  previewPeopleImport,
  startPeopleImport,
} from '@mailproof/shared-types';
import { getText } from '../exported-records.ts';
import { type Answer, openSharedHouse, type Person, type TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { until } from '../until.ts';

let test: TestHouse;

beforeAll(async () => {
  test = await openSharedHouse();
}, 120_000);

afterAll(() => test?.stop());

const stranger = () => test.stranger();
const newOwner = async () => (await test.owner()).signIn();
const codeOf = ({ status, body }: Answer) => [status, body['code']];

const url = (slug: string) => `https://www.linkedin.com/in/${slug}`;
const csv = `Name,LinkedIn,Title,Company,E-mail\nAda,${url('ada')},CEO,Acme,ada@acme.test\nBob,${url('bob')},,Acme,\nEve,,,,\n`;

function upload(
  who: Person,
  body: string | Uint8Array = csv,
  query = '',
  headers: Record<string, string> = {},
): Promise<Answer> {
  return who.send(`/people-imports${query}`, {
    method: 'POST',
    headers: { 'content-type': 'text/csv', ...headers },
    body: body as string,
  });
}

async function uploaded(who: Person, body?: string): Promise<string> {
  const answer = await upload(who, body);
  expect([answer.status, answer.body['detail']]).toEqual([201, undefined]);
  return peopleImport.strict().parse(answer.body).import_id;
}

async function untilState(who: Person, importId: string, state: string) {
  const look = async () => (await who.get(`/people-imports/${importId}`)).body;
  const found = await until(`state ${state}`, look, body => body['state'] === state);
  return peopleImport.strict().parse(found);
}

async function imported(who: Person, listId?: string): Promise<string> {
  const importId = await uploaded(who);
  const started = await who.post(`/people-imports/${importId}/start`, listId ? { list_id: listId } : {});
  expect([started.status, started.body['detail']]).toEqual([202, undefined]);
  await untilState(who, importId, 'succeeded');
  return importId;
}

async function refusesIds(send: (person: Person, importId: string) => Promise<Answer>): Promise<void> {
  const owner = await newOwner();
  expect(codeOf(await send(owner, 'pimp_1'))).toEqual([400, 'invalid_request']);
  expect(codeOf(await send(owner, newId('peopleImport')))).toEqual([404, 'people_import_not_found']);
}

async function refusesOthers(send: (person: Person, importId: string) => Promise<Answer>): Promise<void> {
  const importId = await uploaded(await newOwner());
  expect(codeOf(await send(await newOwner(), importId))).toEqual([404, 'people_import_not_found']);
}

const refusesStrangers = async (send: (person: Person, importId: string) => Promise<Answer>) =>
  expect(codeOf(await send(stranger(), newId('peopleImport')))).toEqual([401, 'not_signed_in']);

describeOperation(createPeopleImport, {
  async success() {
    const owner = await newOwner();
    const headers = { 'idempotency-key': 'the people of the day' };
    const answer = await upload(owner, csv, '?name=people.csv', headers);
    expect(answer.status).toBe(201);
    const told = peopleImport.strict().parse(answer.body);
    expect(told).toMatchObject({
      name: 'people.csv',
      state: 'uploaded',
      rows: 3,
      mapping: null,
      preview: null,
      result: null,
      columns: [
        { name: 'Name', field: 'full_name', examples: ['Ada', 'Bob', 'Eve'] },
        { name: 'LinkedIn', field: 'profile_url' },
        { name: 'Title', field: 'job_title' },
        { name: 'Company', field: 'company_name' },
        { name: 'E-mail', field: null, examples: [], holds_addresses: true },
      ],
    });
    const again = await upload(owner, csv, '?name=people.csv', headers);
    expect([again.status, again.body['import_id']]).toEqual([201, told.import_id]);
    expect(codeOf(await upload(owner, `${csv}x,,,,\n`, '', headers))).toEqual([
      422,
      'idempotency_key_reused',
    ]);
    const lines = JSON.stringify({ name: 'Ada', linkedin_url: url('ada') });
    const ndjson = await upload(owner, lines, '', { 'content-type': 'application/x-ndjson' });
    expect(ndjson.body).toMatchObject({ format: 'ndjson', rows: 1 });
    const tabs = await upload(owner, `Name\tLinkedIn\nAda\t${url('ada')}\n`, '?delimiter=tab&encoding=utf-8');
    expect((tabs.body['columns'] as unknown[]).length).toBe(2);
  },
  async badInput() {
    const owner = await newOwner();
    expect(codeOf(await upload(owner, ''))).toEqual([400, 'invalid_request']);
    expect(codeOf(await upload(owner, new Uint8Array([0x50, 0x4b, 3, 4])))).toEqual([
      422,
      'file_not_readable',
    ]);
    expect(codeOf(await upload(owner, `a,b\n"x`))).toEqual([422, 'file_not_readable']);
    expect(codeOf(await upload(owner, csv, '?delimiter=xx'))).toEqual([400, 'invalid_request']);
    expect(codeOf(await upload(owner, csv, '?encoding=latin'))).toEqual([400, 'invalid_request']);
    expect(codeOf(await upload(owner, csv, '', { 'content-type': 'image/png' }))).toEqual([
      415,
      'unsupported_media_type',
    ]);
    const many = `a,b\n${'x,y\n'.repeat(limits.peopleImportRowsMax + 1)}`;
    expect(codeOf(await upload(owner, many))).toEqual([413, 'too_many_rows']);
    const large = new Uint8Array(limits.peopleImportBytesMax + 1).fill(0x61);
    expect(codeOf(await upload(owner, large))).toEqual([413, 'body_too_large']);
    for (let at = 0; at < limits.waitingPeopleImportsMax; at += 1) await uploaded(owner);
    expect(codeOf(await upload(owner))).toEqual([409, 'too_many_people_imports']);
  },
  async noCredentials() {
    expect(codeOf(await upload(stranger()))).toEqual([401, 'not_signed_in']);
  },
  async anotherTenant() {
    const headers = { 'idempotency-key': 'the same key' };
    const one = await upload(await newOwner(), csv, '', headers);
    const other = await upload(await newOwner(), csv, '', headers);
    expect(one.body['import_id']).not.toBe(other.body['import_id']);
  },
});

describeOperation(listPeopleImports, {
  async success() {
    const owner = await newOwner();
    const ids = [await uploaded(owner), await uploaded(owner), await uploaded(owner)];
    const seen: unknown[] = [];
    for (let cursor = ''; ; ) {
      const { body } = await owner.get(`/people-imports?limit=2${cursor}`);
      const page = listPeopleImports.success.schema.parse(body);
      seen.push(...page.imports.map(({ import_id }) => import_id));
      if (page.next_cursor === undefined) break;
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
    expect(seen).toEqual(ids.toReversed());
    expect((await owner.get('/people-imports?state=succeeded')).body['imports']).toEqual([]);
  },
  async badInput() {
    const owner = await newOwner();
    expect(codeOf(await owner.get('/people-imports?state=done'))).toEqual([400, 'invalid_request']);
    expect(codeOf(await owner.get('/people-imports?cursor=x'))).toEqual([400, 'invalid_cursor']);
  },
  noCredentials: () => refusesStrangers(person => person.get('/people-imports')),
  async anotherTenant() {
    await uploaded(await newOwner());
    expect((await (await newOwner()).get('/people-imports')).body['imports']).toEqual([]);
  },
});

const get = (person: Person, importId: string) => person.get(`/people-imports/${importId}`);

describeOperation(getPeopleImport, {
  async success() {
    const owner = await newOwner();
    const importId = await uploaded(owner);
    const { status, body } = await get(owner, importId);
    expect([status, peopleImport.strict().parse(body).import_id]).toEqual([200, importId]);
  },
  badInput: () => refusesIds(get),
  noCredentials: () => refusesStrangers(get),
  anotherTenant: () => refusesOthers(get),
});

const follow = (person: Person, importId: string) => person.get(`/people-imports/${importId}/events`);

describeOperation(followPeopleImport, {
  async success() {
    const owner = await newOwner();
    const importId = await imported(owner);
    const { status, text } = await getText(test, owner, `/people-imports/${importId}/events`);
    expect(status).toBe(200);
    const [, data = ''] =
      /event: import\nid: \d+\ndata: (.*)\n\n/.exec(text) ?? /data: (.*)/.exec(text) ?? [];
    expect(peopleImport.parse(JSON.parse(data))).toMatchObject({ import_id: importId, state: 'succeeded' });
  },
  badInput: () => refusesIds(follow),
  noCredentials: () => refusesStrangers(follow),
  anotherTenant: () => refusesOthers(follow),
});

const preview = (person: Person, importId: string, body: object = {}) =>
  person.post(`/people-imports/${importId}/preview`, body);

describeOperation(previewPeopleImport, {
  async success() {
    const owner = await newOwner();
    const importId = await uploaded(owner);
    const answer = await preview(owner, importId);
    expect([answer.status, peopleImport.parse(answer.body).state]).toEqual([202, 'previewing']);
    const first = await untilState(owner, importId, 'previewed');
    expect(first.preview).toMatchObject({
      added: 2,
      changed: 0,
      refused: 1,
      refusals: [{ reason: 'no_profile_url', rows: 1, lines: [4] }],
    });
    expect((await owner.get('/saved-people')).body['people']).toEqual([]);
    const mapping = { profile_url: 'LinkedIn', full_name: 'Name', headline: 'Title' };
    await preview(owner, importId, { mapping });
    const second = await untilState(owner, importId, 'previewed');
    expect(second).toMatchObject({ mapping, preview: { added: 2 }, progress: 1, result: null });
  },
  async badInput() {
    await refusesIds(preview);
    const owner = await newOwner();
    const importId = await uploaded(owner);
    const unfit = { profile_url: 'LinkedIn', full_name: 'E-mail' };
    expect(codeOf(await preview(owner, importId, { mapping: unfit }))).toEqual([
      422,
      'people_mapping_not_valid',
    ]);
    expect(codeOf(await preview(owner, importId, { mapping: { shoe_size: 'Name' } }))).toEqual([
      400,
      'invalid_request',
    ]);
    const ended = await imported(owner);
    expect(codeOf(await preview(owner, ended))).toEqual([409, 'people_import_not_waiting']);
  },
  noCredentials: () => refusesStrangers(preview),
  anotherTenant: () => refusesOthers(preview),
});

const start = (person: Person, importId: string, body: object = {}) =>
  person.post(`/people-imports/${importId}/start`, body);

describeOperation(startPeopleImport, {
  async success() {
    const owner = await newOwner();
    const list = await owner.post('/saved-lists', { kind: 'people', name: 'Imported' });
    const importId = await uploaded(owner);
    const body = { list_id: list.body['list_id'] };
    const [one, other] = await Promise.all([start(owner, importId, body), start(owner, importId, body)]);
    expect([one.status, other.status].every(status => status === 202 || status === 409)).toBe(true);
    const record = await untilState(owner, importId, 'succeeded');
    expect(record.result).toMatchObject({ added: 2, refused: 1 });
    const people = (await owner.get(`/saved-people?list_id=${body.list_id}&sort=name`)).body;
    expect(people['people']).toMatchObject([
      { name: 'Ada', run_id: null, import_id: importId, source: { kind: 'own_import' } },
      { name: 'Bob' },
    ]);
    expect(JSON.stringify(people)).not.toContain('@');
    // They are exported like saved people, and nothing is charged.
    const exported = await owner.post('/exports', {
      target: 'csv',
      source: { kind: 'saved_people', list_id: body.list_id },
    });
    const exportId = String(exported.body['export_id']);
    const look = async () => (await owner.get(`/exports/${exportId}`)).body;
    await until('the export', look, ({ status }) => status === 'succeeded');
    const file = await getText(test, owner, `/exports/${exportId}/file`);
    expect(file.text).toMatch(/Ada,.*\r\n.*Bob,/s);
    expect((await owner.get('/statement?movements=spending')).body['entries']).toEqual([]);
  },
  async badInput() {
    await refusesIds(start);
    const owner = await newOwner();
    const importId = await uploaded(owner);
    expect(codeOf(await start(owner, importId, { list_id: newId('savedList') }))).toEqual([
      404,
      'saved_list_not_found',
    ]);
    const companies = await owner.post('/saved-lists', { kind: 'companies', name: 'Companies' });
    expect(codeOf(await start(owner, importId, { list_id: companies.body['list_id'] }))).toEqual([
      404,
      'saved_list_not_found',
    ]);
    expect(codeOf(await start(owner, importId, { mapping: {} }))).toEqual([422, 'people_mapping_not_valid']);
  },
  noCredentials: () => refusesStrangers(start),
  async anotherTenant() {
    await refusesOthers(start);
    const [owner, other] = [await newOwner(), await newOwner()];
    const list = await other.post('/saved-lists', { kind: 'people', name: 'Theirs' });
    const importId = await uploaded(owner);
    expect(codeOf(await start(owner, importId, { list_id: list.body['list_id'] }))).toEqual([
      404,
      'saved_list_not_found',
    ]);
    await imported(owner);
    expect((await other.get('/saved-people')).body['people']).toEqual([]);
    const [person] = (await owner.get('/saved-people')).body['people'] as { person_id: string }[];
    expect(codeOf(await other.get(`/saved-people/${person?.person_id}`))).toEqual([
      404,
      'saved_person_not_found',
    ]);
    const removal = { person_ids: [person?.person_id] };
    expect((await other.post('/saved-people/removals', removal)).body).toMatchObject({ removed: 0 });
    expect((await owner.post('/saved-people/removals', removal)).body).toMatchObject({ removed: 1 });
  },
});

const cancel = (person: Person, importId: string) =>
  person.post(`/people-imports/${importId}/cancellation`, undefined);

describeOperation(cancelPeopleImport, {
  async success() {
    const owner = await newOwner();
    const importId = await uploaded(owner);
    const answer = await cancel(owner, importId);
    expect([answer.status, peopleImport.parse(answer.body).state]).toEqual([200, 'cancelled']);
    expect((await cancel(owner, importId)).body).toMatchObject({ state: 'cancelled' });
    expect(codeOf(await start(owner, importId))).toEqual([409, 'people_import_not_waiting']);
  },
  badInput: () => refusesIds(cancel),
  noCredentials: () => refusesStrangers(cancel),
  anotherTenant: () => refusesOthers(cancel),
});

const refused = (person: Person, importId: string) =>
  person.get(`/people-imports/${importId}/refused-rows.csv`);

describeOperation(downloadRefusedPeople, {
  async success() {
    const owner = await newOwner();
    const importId = await imported(owner);
    const { status, headers, text } = await getText(
      test,
      owner,
      `/people-imports/${importId}/refused-rows.csv`,
    );
    expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('text/csv')]);
    expect(headers.get('content-disposition')).toContain('refused-rows.csv');
    expect(text).toBe('line,reason,detail,column\r\n4,no_profile_url,"It has no profile URL.",\r\n');
  },
  badInput: () => refusesIds(refused),
  noCredentials: () => refusesStrangers(refused),
  anotherTenant: () => refusesOthers(refused),
});

const remove = (person: Person, importId: string) =>
  person.send(`/people-imports/${importId}`, { method: 'DELETE' });

describeOperation(deletePeopleImport, {
  async success() {
    const owner = await newOwner();
    const importId = await imported(owner);
    expect(await remove(owner, importId)).toMatchObject({ status: 200, body: { import_id: importId } });
    expect(codeOf(await get(owner, importId))).toEqual([404, 'people_import_not_found']);
    const filtered = await owner.get(`/saved-people?import_id=${importId}`);
    expect((filtered.body['people'] as unknown[]).length).toBe(2);
    const all = { matching: { import_id: importId } };
    expect((await owner.post('/saved-people/removals', all)).body).toMatchObject({ removed: 2 });
  },
  badInput: () => refusesIds(remove),
  noCredentials: () => refusesStrangers(remove),
  anotherTenant: () => refusesOthers(remove),
});
