import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { hubSpotScopes } from '@mailproof/crm-lab';
import { writeBackProperties } from '@mailproof/shared-types';
import type { RecordWrite } from '../../src/domain/crm/crm.ts';
import { createWriteBackProperties } from '../../src/domain/crm/imports/write-back-properties.ts';
import { faultOf, type HubSpotHouse, openHubSpotHouse, signal } from './open-hubspot-house.ts';

let house: HubSpotHouse;

beforeEach(async () => {
  house = await openHubSpotHouse();
});

afterEach(() => house.close());

const created = (rowNo: number, values: RecordWrite['values'], ownKey = `person_${rowNo}`): RecordWrite => ({
  rowNo,
  recordId: null,
  ownKey,
  values,
});

describe('properties', () => {
  it('are told with their types, choices and what may be done with them', async () => {
    const properties = await house.crm.properties('contact', signal);
    const byName = new Map(properties.map(property => [property.name, property]));
    expect(byName.get('email')).toEqual({
      name: 'email',
      label: 'Email',
      type: 'text',
      choices: [],
      characters_max: 65_536,
      is_writable: true,
      is_required: false,
      is_unique: true,
    });
    expect(byName.get('hs_lead_status')).toMatchObject({
      type: 'choice',
      choices: [
        { value: 'NEW', label: 'New' },
        { value: 'OPEN', label: 'Open' },
        { value: 'UNQUALIFIED', label: 'Unqualified' },
      ],
    });
    expect(byName.get('hs_email_optout')).toMatchObject({ type: 'boolean', choices: [] });
    expect(byName.get('num_employees')).toMatchObject({ type: 'number', characters_max: null });
    expect(byName.get('closedate')).toMatchObject({ type: 'moment' });
    expect(byName.get('hs_object_id')).toMatchObject({ is_writable: false });
    expect(byName.has('hs_internal_note')).toBe(false);
  });

  it('are of the kind that is asked for, and leads are not HubSpot’s', async () => {
    const names = (await house.crm.properties('company', signal)).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['domain', 'numberofemployees']));
    expect(await faultOf(house.crm.properties('lead', signal))).toMatchObject({ kind: 'not_found' });
    expect(house.crm.identifyingProperty('contact')).toEqual({ property: 'email', kind: 'email' });
    expect(house.crm.identifyingProperty('company')).toEqual({ property: 'domain', kind: 'domain' });
    expect(house.crm.identifyingProperty('lead')).toBeUndefined();
  });
});

describe('our own key', () => {
  it('is made once, unique, by however many pushes at once', async () => {
    await Promise.all([1, 2, 3].map(() => house.crm.ensureOwnKey('contact', signal)));
    await house.crm.ensureOwnKey('contact', signal);
    const made = (await house.crm.properties('contact', signal)).filter(
      ({ name }) => name === 'mailproof_id',
    );
    expect(made).toEqual([expect.objectContaining({ type: 'text', is_unique: true, is_writable: true })]);
    expect((await house.crm.properties('company', signal)).map(({ name }) => name)).not.toContain(
      'mailproof_id',
    );
  });

  it('is there though the answer that said so was lost', async () => {
    house.lab.switches.dropNextAnswers({ path: /^\/crm\/v3\/properties\/contacts$/ });
    expect(await faultOf(house.crm.ensureOwnKey('contact', signal))).toMatchObject({ kind: 'away' });
    await house.crm.ensureOwnKey('contact', signal);
    const tried = house.lab.calls.filter(({ method, path }) => method === 'POST' && /properties/.test(path));
    expect(tried).toHaveLength(1);
  });

  it('finds no one before it has been made, and makes nothing then', async () => {
    house.lab.seed('contacts', 1, () => ({ email: 'ada@example.com' }));
    expect(await house.crm.find('contact', 'own_key', ['person_1'], ['email'], signal)).toEqual([]);
    expect((await house.crm.properties('contact', signal)).map(({ name }) => name)).not.toContain(
      'mailproof_id',
    );
  });
});

describe('properties for results', () => {
  const columns = ['result_status', 'valid', 'validated_at'] as const;
  const create = () => createWriteBackProperties(house.crm, 'contact', columns, signal);

  it('are created once, by however many requests at once, and take values', async () => {
    const [first] = await Promise.all([create(), create(), create()]);
    expect(first?.map(({ column, property }) => [column, property.name, property.type])).toEqual([
      ['result_status', 'mailproof_result', 'text'],
      ['valid', 'mailproof_deliverable', 'boolean'],
      ['validated_at', 'mailproof_validated_at', 'moment'],
    ]);
    const before = house.lab.calls.length;
    expect(await create()).toEqual(first);
    expect(house.lab.calls.slice(before).map(({ method }) => method)).toEqual(['GET']);
    const values = {
      mailproof_result: 'ok',
      mailproof_deliverable: true,
      mailproof_validated_at: '2026-11-02T09:30:00.000Z',
    };
    await house.crm.ensureOwnKey('contact', signal);
    expect(
      await house.crm.write('contact', [created(1, { email: 'ada@example.com', ...values })], signal),
    ).toMatchObject([{ outcome: 'created' }]);
  });

  it('exist although the response was lost', async () => {
    house.lab.switches.dropNextAnswers({ path: /^\/crm\/v3\/properties\/contacts$/ });
    await faultOf(create());
    expect(await create()).toHaveLength(3);
  });

  it('are refused if a property of that name has another type', async () => {
    await house.crm.ensureProperties(
      'contact',
      [{ ...writeBackProperties.validated_at, type: 'text' }],
      signal,
    );
    expect(await faultOf(create())).toMatchObject({
      kind: 'refused',
      advice: expect.stringContaining('mailproof_validated_at'),
    });
  });
});

describe('find', () => {
  it('finds contacts by id, own key and any of their addresses, in any case', async () => {
    await house.crm.ensureOwnKey('contact', signal);
    const [ada = '', grace = ''] = house.lab.seed('contacts', 2, index =>
      index === 0
        ? { email: 'ada@example.com', firstname: 'Ada', mailproof_id: 'person_1' }
        : { email: 'grace@example.com', hs_additional_emails: 'hopper@example.com;rear@example.com' },
    );
    const gone = house.lab.seed('contacts', 1, () => ({ email: 'gone@example.com' }))[0] ?? '';
    house.lab.archive('contacts', gone);

    expect(
      await house.crm.find(
        'contact',
        'record_id',
        [ada, gone, 'no id', '999999'],
        ['firstname', 'phone'],
        signal,
      ),
    ).toEqual([{ recordId: ada, foundBy: ada, values: { firstname: 'Ada', phone: null } }]);
    expect(
      await house.crm.find('contact', 'own_key', ['person_1', 'person_2'], ['firstname'], signal),
    ).toEqual([{ recordId: ada, foundBy: 'person_1', values: { firstname: 'Ada' } }]);
    const asked = ['Ada@Example.com', 'hopper@example.com', 'grace@example.com', 'gone@example.com', ''];
    expect(await house.crm.find('contact', 'identifying', asked, ['email'], signal)).toEqual([
      { recordId: ada, foundBy: 'Ada@Example.com', values: { email: 'ada@example.com' } },
      { recordId: grace, foundBy: 'hopper@example.com', values: { email: 'grace@example.com' } },
      { recordId: grace, foundBy: 'grace@example.com', values: { email: 'grace@example.com' } },
    ]);
  });

  it('finds the oldest company of each domain, though one domain has hundreds', async () => {
    const [first = ''] = house.lab.seed('companies', 450, () => ({
      domain: 'holding.example',
      name: 'Holding',
    }));
    const [other = ''] = house.lab.seed('companies', 2, () => ({ domain: 'small.example', name: 'Small' }));
    const domains = ['Holding.example', 'small.example', 'nobody.example'];
    expect(await house.crm.find('company', 'identifying', domains, ['name'], signal)).toEqual([
      { recordId: first, foundBy: 'Holding.example', values: { name: 'Holding' } },
      { recordId: other, foundBy: 'small.example', values: { name: 'Small' } },
    ]);
    expect(house.lab.calls.filter(({ path }) => path.endsWith('/search'))).toHaveLength(2);
  });

  it('finds a hundred companies with long domains, however many of their properties are asked for', async () => {
    const domainOf = (index: number) => `subsidiary-${index}.of-a-very-large-holding.example`;
    const ids = house.lab.seed('companies', 100, index => ({ domain: domainOf(index), name: `No ${index}` }));
    const names = (await house.crm.properties('company', signal)).map(({ name }) => name);
    const properties = Array.from({ length: 40 }, (_, at) => names[at % names.length] ?? '').concat('name');
    const domains = ids.map((_, index) => domainOf(index));
    const found = await house.crm.find('company', 'identifying', domains, properties, signal);
    expect(found.map(({ recordId }) => recordId)).toEqual(ids);
    expect(found.at(-1)?.values['name']).toMatch(/^No /);
  });
});

describe('write', () => {
  beforeEach(() => house.crm.ensureOwnKey('contact', signal));

  it('changes records with an id, creates the others, and takes away what is null', async () => {
    const [ada = ''] = house.lab.seed('contacts', 1, () => ({
      email: 'ada@example.com',
      phone: '1',
      city: 'Paris',
    }));
    const results = await house.crm.write(
      'contact',
      [
        { rowNo: 1, recordId: ada, ownKey: 'person_1', values: { phone: null, num_employees: 12 } },
        created(2, { email: 'grace@example.com', hs_email_optout: true }),
      ],
      signal,
    );
    const [, grace] = house.lab.records('contacts');
    expect(results).toEqual([
      { rowNo: 1, outcome: 'updated', recordId: ada },
      { rowNo: 2, outcome: 'created', recordId: grace?.id },
    ]);
    expect(house.lab.records('contacts')[0]?.values).toMatchObject({
      phone: '',
      city: 'Paris',
      num_employees: '12',
    });
    expect(grace?.values).toMatchObject({ mailproof_id: 'person_2', hs_email_optout: 'true' });
  });

  it('says of each record that HubSpot does not take why, without its values, and writes the rest', async () => {
    const secret = 'secret-value';
    const [ada = '', gone = ''] = house.lab.seed('contacts', 2, index => ({
      email: `seed${index}@example.com`,
    }));
    house.lab.archive('contacts', gone);
    const results = await house.crm.write(
      'contact',
      [
        created(1, { email: `${secret}-no-address` }),
        created(2, { email: 'b@example.com', shoe_size: secret }),
        created(3, { email: 'c@example.com', hs_object_id: secret }),
        created(4, { email: 'd@example.com', hs_lead_status: secret }),
        created(5, { email: 'seed0@example.com' }),
        created(6, { email: 'f@example.com' }),
        { rowNo: 7, recordId: gone, ownKey: 'person_7', values: { city: 'Rome' } },
        { rowNo: 8, recordId: ada, ownKey: 'person_8', values: { num_employees: secret } },
      ],
      signal,
    );
    const byRow = new Map(results.map(result => [result.rowNo, result]));
    const failed = (code: string, property: string | null, isTransient = false) =>
      expect.objectContaining({ outcome: 'failed', fault: { code, property }, isTransient });
    expect(byRow.get(1)).toEqual(failed('invalid_value', 'email'));
    expect(byRow.get(2)).toEqual(failed('no_such_property', 'shoe_size'));
    expect(byRow.get(3)).toEqual(failed('not_permitted', 'hs_object_id'));
    expect(byRow.get(4)).toEqual(failed('invalid_value', 'hs_lead_status'));
    expect(byRow.get(5)).toEqual(failed('duplicate', 'email', true));
    expect(byRow.get(6)).toMatchObject({ outcome: 'created' });
    expect(byRow.get(7)).toEqual(failed('gone', null));
    expect(byRow.get(8)).toEqual(failed('invalid_value', 'num_employees'));
    expect(JSON.stringify(results)).not.toContain(secret);
  });

  it('finds the records at fault where HubSpot refuses a batch as a whole', async () => {
    house.lab.refuseWholeBatches(true);
    const writes = Array.from({ length: 100 }, (_, index) =>
      created(index, {
        email: index === 17 || index === 80 ? 'no address' : `p${index}@example.com`,
        ...(index % 10 === 3 && { shoe_size: '44' }),
      }),
    );
    const results = await house.crm.write('contact', writes, signal);
    expect(results).toHaveLength(100);
    const failed = results.filter(({ outcome }) => outcome === 'failed');
    expect(failed).toHaveLength(12);
    expect(failed).toContainEqual(
      expect.objectContaining({ rowNo: 17, fault: { code: 'invalid_value', property: 'email' } }),
    );
    expect(house.lab.records('contacts')).toHaveLength(88);
    expect(house.lab.calls.filter(({ path }) => path.endsWith('/upsert')).length).toBeLessThan(40);
  });

  it('writes a record twice in a call one after the other, never as two', async () => {
    const writes = [
      created(1, { email: 'ada@example.com', city: 'Paris' }, 'person_1'),
      created(2, { city: 'London' }, 'person_1'),
    ];
    const results = await house.crm.write('contact', writes, signal);
    expect(results.map(({ outcome }) => outcome)).toEqual(['created', 'updated']);
    expect(house.lab.records('contacts')).toHaveLength(1);
    expect(house.lab.records('contacts')[0]?.values['city']).toBe('London');
  });

  it('creates nothing twice where the answer to a batch was lost', async () => {
    house.lab.switches.dropNextAnswers({ path: /upsert$/ });
    const writes = Array.from({ length: 100 }, (_, index) =>
      created(index, { email: `p${index}@example.com` }),
    );
    expect(await faultOf(house.crm.write('contact', writes, signal))).toMatchObject({
      kind: 'away',
      waitMs: null,
    });
    expect(house.lab.records('contacts')).toHaveLength(100);
    const results = await house.crm.write('contact', writes, signal);
    expect(results.every(({ outcome }) => outcome === 'updated')).toBe(true);
    expect(house.lab.records('contacts')).toHaveLength(100);
  });

  it('returns the records created before HubSpot stopped responding, and leaves the rest for a retry', async () => {
    house.lab.refuseWholeBatches(true);
    // HubSpot refuses the whole batch, accepts its first half, and is unavailable for the second half.
    house.lab.switches.afterCalls(2, () => house.lab.switches.failNext(503, { path: /upsert$/ }));
    const writes = [created(1, { email: 'ada@example.com' }), created(2, { email: 'no address' })];
    expect(await faultOf(house.crm.write('contact', writes, signal))).toMatchObject({
      kind: 'away',
      results: [{ rowNo: 1, outcome: 'created' }],
    });
  });

  it('says what is to be tried again and what a rule of the account is against', async () => {
    house.lab.refuseRecords('contacts', ({ city }) =>
      city === 'Locked'
        ? { category: 'LOCKED', message: 'The record is locked.' }
        : city === 'Ruled'
          ? {
              category: 'VALIDATION_ERROR',
              message: 'A rule is against it: Ruled',
              errors: [{ message: 'Ruled', code: 'REQUIRED_FIELD', in: 'lastname' }],
            }
          : undefined,
    );
    const results = await house.crm.write(
      'contact',
      [created(1, { city: 'Locked' }), created(2, { city: 'Ruled' })],
      signal,
    );
    expect(results).toEqual([
      { rowNo: 1, outcome: 'failed', fault: { code: 'locked', property: null }, isTransient: true },
      {
        rowNo: 2,
        outcome: 'failed',
        fault: { code: 'missing_value', property: 'lastname' },
        isTransient: false,
      },
    ]);
  });
});

describe('what HubSpot says of a record', () => {
  beforeEach(() => house.crm.ensureOwnKey('contact', signal));

  it.each([
    [
      'a value where a name should be',
      '[{"error":"INVALID_OPTION","name":"Ada <ada@example.com>"}]',
      'invalid_value',
    ],
    ['an unknown code', '[{"error":"ADA@EXAMPLE.COM","name":"city"}]', 'refused'],
    ['no JSON', '[{"error": ada@example.com}]', 'refused'],
    ['nothing', '', 'refused'],
  ])('is passed on in words of ours alone: %s', async (_what, message, code) => {
    house.lab.refuseRecords('contacts', () => ({ category: 'VALIDATION_ERROR', message }));
    const [result] = await house.crm.write('contact', [created(1, { city: 'Paris' })], signal);
    expect(result).toMatchObject({ outcome: 'failed', fault: { code }, isTransient: false });
    expect(JSON.stringify(result)).not.toMatch(/ada/i);
  });
});

describe('remove', () => {
  it('deletes records; missing ones count as deleted', async () => {
    const ids = house.lab.seed('contacts', 250, index => ({ email: `p${index}@example.com` }));
    const [first = ''] = ids;
    house.lab.archive('contacts', first);
    const results = await house.crm.remove('contact', ids.slice(0, 240), signal);
    expect(results).toHaveLength(240);
    expect(results[0]).toEqual({ recordId: first, outcome: 'removed' });
    expect(house.lab.records('contacts').map(({ id }) => id)).toEqual(ids.slice(240));
    const again = await house.crm.remove('contact', ids.slice(0, 2), signal);
    expect(again.every(({ outcome }) => outcome === 'removed')).toBe(true);
  });
});

it('says that access does not reach so far', async () => {
  const scope = hubSpotScopes.filter(each => each !== 'crm.objects.contacts.write').join(' ');
  const { accessToken } = house.lab.oauth.grant(scope);
  const access = { accessToken, apiBaseUrl: house.lab.baseUrl };
  const crm = house.open({}, { current: async () => access, renewed: async () => access });
  expect(await faultOf(crm.remove('contact', ['1'], signal))).toMatchObject({ kind: 'not_permitted' });
});
