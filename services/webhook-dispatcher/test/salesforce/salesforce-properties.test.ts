import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { field } from '@mailproof/crm-lab';
import type { CrmObject } from '@mailproof/shared-types';
import type { RecordWrite } from '../../src/domain/crm/crm.ts';
import { createWriteBackProperties } from '../../src/domain/crm/imports/write-back-properties.ts';
import { openSalesforceLab, type SalesforceLab } from './open-salesforce-lab.ts';

let lab: SalesforceLab;
const signal = new AbortController().signal;

beforeEach(async () => {
  lab = await openSalesforceLab();
});

afterEach(() => lab.close());

function write(rowNo: number, values: RecordWrite['values'], recordId: string | null = null): RecordWrite {
  return { rowNo, recordId, ownKey: `per_${rowNo}`, values };
}

const nobody = { LastName: 'Nobody' };

describe('properties', () => {
  it('are reported as the organization describes them', async () => {
    lab.salesforce.addField('Contact', field('Tier__c', 'Tier', 'picklist'));
    const properties = await lab.crm.properties('contact', signal);
    const named = (name: string) => properties.find(property => property.name === name);
    expect(named('LastName')).toEqual({
      name: 'LastName',
      label: 'Last Name',
      type: 'text',
      choices: [],
      characters_max: 80,
      is_writable: true,
      is_required: true,
      is_unique: false,
    });
    expect(named('LeadSource')).toMatchObject({
      type: 'choice',
      choices: expect.arrayContaining([{ value: 'Web', label: 'Web' }]),
    });
    expect(named('Birthdate')?.type).toBe('date');
    expect(named('CreatedDate')).toMatchObject({ type: 'moment', is_writable: false, is_required: false });
    expect(named('HasOptedOutOfEmail')).toMatchObject({ type: 'boolean', is_required: false });
    expect(named('MailingAddress')).toMatchObject({ type: 'other', is_writable: false });
    expect(named('Tier__c')?.label).toBe('Tier');
  });

  it('are those of each kind of records', async () => {
    const required = async (object: CrmObject) =>
      (await lab.crm.properties(object, signal)).filter(each => each.is_required).map(({ name }) => name);
    expect(await required('contact')).toEqual(['LastName']);
    expect(await required('lead')).toEqual(['LastName', 'Company']);
    expect(await required('company')).toEqual(['Name']);
  });
});

describe('fields for results', () => {
  const columns = ['validated_at', 'valid', 'mx_provider'] as const;
  const create = (object: CrmObject) => createWriteBackProperties(lab.crm, object, columns, signal);

  it('are created once, with the right types, visible to the user, also after an interrupted try', async () => {
    lab.salesforce.faults.failCalls({
      times: 1,
      status: 503,
      errorCode: 'SERVER_UNAVAILABLE',
      when: ({ path }) => path === '/sobjects/FieldPermissions',
    });
    await expect(create('lead')).rejects.toMatchObject({ kind: 'away' });
    const made = await create('lead');
    expect(made.map(({ column, property }) => [column, property.name, property.type])).toEqual([
      ['validated_at', 'mailproof_validated_at__c', 'moment'],
      ['valid', 'mailproof_deliverable__c', 'boolean'],
      ['mx_provider', 'mailproof_mail_provider__c', 'text'],
    ]);
    expect(made.every(({ property }) => property.is_writable && !property.is_required)).toBe(true);
    const before = lab.salesforce.faults.calls.length;
    expect(await create('lead')).toEqual(made);
    expect(lab.salesforce.faults.calls.slice(before).map(({ path }) => path)).toEqual([
      '/sobjects/Lead/describe',
    ]);
    await lab.crm.ensureOwnKey('lead', signal);
    const values = { mailproof_validated_at__c: '2026-11-02T09:30:00.000Z', mailproof_deliverable__c: true };
    expect(
      await lab.crm.write('lead', [write(1, { ...nobody, Company: 'Acme', ...values })], signal),
    ).toMatchObject([{ outcome: 'created' }]);
  });

  it.each(['customizesApplication', 'managesPermissionSets'] as const)(
    'are asked of an administrator if the user may not create them: %s',
    async permission => {
      lab.salesforce.permissions[permission] = false;
      await expect(create('contact')).rejects.toMatchObject({
        kind: 'not_permitted',
        advice: expect.stringContaining('mailproof_validated_at__c (DateTime)'),
      });
    },
  );
});

describe('the key of ours', () => {
  it('is made where it is missing, and visible to the user who has connected', async () => {
    await lab.crm.ensureOwnKey('contact', signal);
    const key = (await lab.crm.properties('contact', signal)).find(({ name }) => name === 'mailproof_id__c');
    expect(key).toMatchObject({ is_writable: true, is_unique: true, characters_max: 255 });
  });

  it('is made once, and takes one call from then on', async () => {
    await lab.crm.ensureOwnKey('lead', signal);
    const before = lab.salesforce.faults.calls.length;
    await lab.crm.ensureOwnKey('lead', signal);
    expect(lab.salesforce.faults.calls.slice(before).map(({ path }) => path)).toEqual([
      '/sobjects/Lead/describe',
    ]);
  });

  it('is made by the half that an earlier try has left', async () => {
    lab.salesforce.faults.failCalls({
      times: 1,
      status: 503,
      errorCode: 'SERVER_UNAVAILABLE',
      when: ({ path }) => path === '/sobjects/FieldPermissions',
    });
    await expect(lab.crm.ensureOwnKey('company', signal)).rejects.toMatchObject({ kind: 'away' });
    await lab.crm.ensureOwnKey('company', signal);
    await lab.crm.ensureOwnKey('contact', signal);
    expect(await lab.crm.write('company', [write(1, { Name: 'Ada' })], signal)).toMatchObject([
      { outcome: 'created' },
    ]);
  });

  it.each(['customizesApplication', 'managesPermissionSets'] as const)(
    'is asked of an administrator where the user may not do it: %s',
    async permission => {
      lab.salesforce.permissions[permission] = false;
      await expect(lab.crm.ensureOwnKey('contact', signal)).rejects.toMatchObject({
        kind: 'not_permitted',
        advice: expect.stringMatching(/custom field on Contact.*mailproof_id__c, External ID, unique/),
      });
    },
  );

  it('is not taken for ours if another field has that name', async () => {
    lab.salesforce.addField('Contact', field('mailproof_id__c', 'Mine', 'string', { length: 255 }));
    await expect(lab.crm.ensureOwnKey('contact', signal)).rejects.toMatchObject({ kind: 'not_permitted' });
    await expect(lab.crm.write('contact', [write(1, nobody)], signal)).rejects.toMatchObject({
      kind: 'not_found',
      advice: expect.stringContaining('External ID'),
    });
  });
});
