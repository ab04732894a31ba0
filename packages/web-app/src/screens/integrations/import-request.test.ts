import { describe, expect, it } from '@jest/globals';
import type { CrmProperty } from './crms.ts';
import {
  addressPropertyOf,
  companyPropertyOf,
  faultOf,
  type ImportDraft,
  importSteps,
  requestOf,
  usualPropertiesOf,
  usualWriteBack,
} from './import-request.ts';

const property = (name: string, more: Partial<CrmProperty> = {}): CrmProperty => ({
  name,
  label: name,
  type: 'text',
  choices: [],
  characters_max: null,
  is_writable: true,
  is_required: false,
  is_unique: false,
  ...more,
});

const draft: ImportDraft = {
  object: 'contact',
  segmentId: undefined,
  filters: [],
  properties: ['firstname'],
  addressProperty: 'email',
  writeBack: undefined,
  creditsMax: undefined,
  listId: undefined,
  listName: '',
  name: ' ',
};

describe('the request of an import', () => {
  it('names the address first and once, and omits what was not chosen', () => {
    expect(requestOf({ ...draft, properties: ['firstname', 'email'] }, 'crm_1')).toEqual({
      connection_id: 'crm_1',
      object: 'contact',
      selection: {},
      properties: ['email', 'firstname'],
      address_property: 'email',
    });
  });

  it('has the segment, filters with the right number of values, and the properties for results', () => {
    const request = requestOf(
      {
        ...draft,
        segmentId: '7',
        filters: [
          { id: 1, property: 'city', operator: 'is_one_of', value: 'Bonn, Köln ,' },
          { id: 2, property: 'phone', operator: 'is_known', value: 'left over' },
          { id: 3, property: 'company', operator: 'is', value: 'Smith, Jones' },
        ],
        writeBack: [
          { column: 'result_status', property: 'email_status', policy: 'overwrite' },
          { column: 'validated_at', property: '', policy: 'overwrite' },
        ],
        creditsMax: 500,
        name: ' Spring ',
      },
      'crm_1',
    );
    expect(request).toMatchObject({
      name: 'Spring',
      start_when_ready: true,
      credits_max: 500,
      selection: {
        segment_id: '7',
        filters: [
          { property: 'city', operator: 'is_one_of', values: ['Bonn', 'Köln'] },
          { property: 'phone', operator: 'is_known' },
          { property: 'company', operator: 'is', values: ['Smith, Jones'] },
        ],
      },
      write_back: {
        fields: [{ column: 'result_status', property: 'email_status', policy: 'overwrite' }],
      },
    });
    expect(request.selection.filters?.[1]).not.toHaveProperty('values');
  });

  it('names the list for the companies, and nothing about a validation', () => {
    const field = { column: 'result_status', property: 'status', policy: 'overwrite' } as const;
    const left = { ...draft, writeBack: [field], creditsMax: 5 };
    expect(requestOf({ ...left, listId: 'list_1', listName: 'Customers' }, 'crm_1')).toEqual({
      connection_id: 'crm_1',
      object: 'contact',
      selection: {},
      properties: ['email'],
      address_property: 'email',
      list_id: 'list_1',
    });
  });

  it('is held back while something is missing', () => {
    const field = { column: 'result_status', property: 'status', policy: 'overwrite' } as const;
    expect(faultOf(draft)).toBeUndefined();
    expect(faultOf({ ...draft, addressProperty: '' })).toMatch(/addresses/);
    // An unchosen list does not mean all records.
    expect(faultOf({ ...draft, segmentId: '' })).toMatch(/list/);
    const filter = { id: 1, property: 'city', operator: 'is', value: ' ' } as const;
    expect(faultOf({ ...draft, filters: [filter] })).toMatch(/filter/);
    expect(faultOf({ ...draft, filters: [{ ...filter, operator: 'is_unknown' }] })).toBeUndefined();
    expect(faultOf({ ...draft, writeBack: [{ ...field, property: '' }] })).toMatch(/at least one/);
    expect(faultOf({ ...draft, writeBack: [field, { ...field, column: 'valid' }] })).toMatch(/same/);
    expect(faultOf({ ...draft, writeBack: [field] })).toBeUndefined();
    expect(faultOf({ ...draft, creditsMax: 0 })).toMatch(/whole number/);
    expect(faultOf({ ...draft, creditsMax: 0, listId: 'list_1' })).toBeUndefined();
    expect(faultOf({ ...draft, listId: '', listName: ' ' })).toMatch(/new list/);
    expect(faultOf({ ...draft, listId: '', addressProperty: '' })).toMatch(/domains/);
    expect(faultOf({ ...draft, listId: 'list_1', writeBack: [{ ...field, property: '' }] })).toBeUndefined();
  });
});

describe('suggestions from a CRM’s properties', () => {
  const properties = [
    property('work_email_note', { type: 'text' }),
    property('Email', { label: 'E-mail' }),
    property('firstname'),
    property('email_status', { is_writable: false }),
    property('email_result', { type: 'choice' }),
    property('email_validated_at', { type: 'moment' }),
  ];

  it('find the address by its exact name, before names that contain it', () => {
    expect(addressPropertyOf(properties)).toBe('Email');
    expect(addressPropertyOf([property('contact_email')])).toBe('contact_email');
    expect(addressPropertyOf([property('name')])).toBe('');
    expect(usualPropertiesOf(properties, 'contact')).toEqual(['firstname']);
  });

  it('find the domain or the website of a company, and the address of a person', () => {
    const ofCompany = [property('Website'), property('domain'), property('Email')];
    expect(companyPropertyOf(ofCompany, 'company')).toBe('domain');
    expect(companyPropertyOf(ofCompany.slice(0, 1), 'company')).toBe('Website');
    expect(companyPropertyOf(ofCompany, 'contact')).toBe('Email');
  });

  it('offer a writable property of the right type for results', () => {
    expect(usualWriteBack(properties).map(({ column, property: target }) => [column, target])).toEqual([
      ['result_status', 'email_result'],
      ['validated_at', 'email_validated_at'],
    ]);
    expect(usualWriteBack([property('firstname')]).map(each => each.property)).toEqual(['', '']);
  });
});

const started = {
  state: 'queued',
  start_when_ready: false,
  write_back: null,
  job_id: null,
  written_back: null,
  list_id: null,
} as const;
const round = { ...started, write_back: { fields: [] } };
const statuses = (...given: Parameters<typeof importSteps>) =>
  importSteps(...given).map(({ status }) => status);

describe('the steps of an import', () => {
  it('end with reading if nothing follows it', () => {
    expect(importSteps(started)).toEqual([{ name: 'Read records', status: 'current' }]);
    expect(statuses({ ...started, state: 'succeeded', job_id: 'vjob_1' })).toEqual(['done']);
  });

  it('end with the list that the companies are added to', () => {
    const intoList = { ...started, list_id: 'list_1' };
    expect(importSteps(intoList).map(({ name }) => name)).toEqual([
      'Read records',
      'Add the companies to the list',
    ]);
    expect(statuses({ ...intoList, state: 'reading' })).toEqual(['current', 'ahead']);
    expect(statuses({ ...intoList, state: 'succeeded' })).toEqual(['done', 'done']);
  });

  it('continue with validating and writing back', () => {
    expect(statuses({ ...round, state: 'reading' })).toEqual(['current', 'ahead', 'ahead']);
    expect(statuses({ ...round, state: 'ready', job_id: 'vjob_1' })).toEqual(['done', 'current', 'ahead']);
    expect(statuses({ ...round, state: 'writing_back', job_id: 'vjob_1' })).toEqual([
      'done',
      'done',
      'current',
    ]);
    expect(statuses({ ...round, state: 'succeeded', job_id: 'vjob_1' })).toEqual(['done', 'done', 'done']);
  });

  it('have no running one after a failure or a cancellation', () => {
    expect(statuses({ ...round, state: 'failed' })).toEqual(['ahead', 'ahead', 'ahead']);
    expect(statuses({ ...round, state: 'cancelled', job_id: 'vjob_1' })).toEqual(['done', 'ahead', 'ahead']);
  });
});
