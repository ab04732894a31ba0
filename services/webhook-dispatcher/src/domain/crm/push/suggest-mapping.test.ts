import { describe, expect, it } from '@jest/globals';
import { type CrmObject, type ExportedValue, type ExportSource, newId } from '@mailproof/shared-types';
import { property } from '../testing/kept-crm.ts';
import { suggestMapping } from './suggest-mapping.ts';

const job: ExportSource = { kind: 'validation_job', job_id: newId('validationJob') };

const hubspot = [
  property('email', { label: 'Email' }),
  property('firstname', { label: 'First Name' }),
  property('lastname', { label: 'Last Name' }),
  property('jobtitle', { label: 'Job Title' }),
  property('company', { label: 'Company Name' }),
  property('phone', { label: 'Phone Number' }),
  property('mobilephone', { label: 'Mobile Phone Number' }),
  property('website', { label: 'Website URL' }),
  property('hs_linkedin_url', { label: 'LinkedIn URL' }),
  property('country', { label: 'Country/Region' }),
  property('followercount', { label: 'Follower Count', type: 'number' }),
  property('createdate', { label: 'Create Date', type: 'moment', is_writable: false }),
  property('mailproof_id', { label: 'Mailproof ID', is_unique: true }),
];

const salesforceLead = [
  property('FirstName', { label: 'First Name' }),
  property('LastName', { label: 'Last Name', is_required: true }),
  property('Company', { label: 'Company', is_required: true }),
  property('Title', { label: 'Title' }),
  property('Email', { label: 'Email' }),
  property('Website', { label: 'Website' }),
  property('MobilePhone', { label: 'Mobile Phone' }),
  property('result_status__c', { label: 'Result' }),
];

function suggest(
  columns: readonly string[],
  properties = hubspot,
  {
    source = job,
    object = 'contact',
    samples = {},
  }: { source?: ExportSource; object?: CrmObject; samples?: Record<string, ExportedValue[]> } = {},
) {
  const sampled = columns.map(column => ({ column, samples: samples[column] ?? [] }));
  const { fields, unmatched, missing } = suggestMapping({ columns: sampled, properties, source, object });
  return {
    pairs: Object.fromEntries(fields.map(({ field }) => [field.column, field.property])),
    policies: Object.fromEntries(fields.map(({ field }) => [field.column, field.policy])),
    unmatched: unmatched.map(({ column }) => column),
    missing: missing.map(({ name }) => name),
  };
}

describe('a suggested mapping', () => {
  it.each([
    ['first name', 'firstname'],
    ['firstname', 'firstname'],
    ['FirstName', 'firstname'],
    ['First_Name', 'firstname'],
    ['Given Name', 'firstname'],
    ['prénom', 'firstname'],
    ['Surname', 'lastname'],
    ['job title', 'jobtitle'],
    ['Position', 'jobtitle'],
    ['company', 'company'],
    ['Organisation', 'company'],
    ['company_name', 'company'],
    ['Website', 'website'],
    ['linkedin_url', 'hs_linkedin_url'],
    ['LinkedIn', 'hs_linkedin_url'],
    ['profile_url', 'hs_linkedin_url'],
    ['Tel.', 'phone'],
    ['Mobile', 'mobilephone'],
    ['E-Mail', 'email'],
    ['input_email', 'email'],
    ['follower_count', 'followercount'],
  ])('knows that “%s” is %s', (column, name) => expect(suggest([column]).pairs).toEqual({ [column]: name }));

  it('gives a property to one column, the one that fits best', () => {
    const { pairs, unmatched } = suggest(['work email', 'email', 'E-mail address']);
    expect(pairs).toEqual({ email: 'email' });
    expect(unmatched).toEqual(['work email', 'E-mail address']);
  });

  it('fills last names with whole names, unless there are last names', () => {
    expect(suggest(['name', 'email']).pairs).toEqual({ name: 'lastname', email: 'email' });
    expect(suggest(['Full Name', 'surname']).pairs).toEqual({ surname: 'lastname' });
  });

  it('lists what is left over, and what cannot be written is never suggested', () => {
    const { pairs, unmatched } = suggest(['shoe size', 'Create Date', 'mailproof id']);
    expect(pairs).toEqual({});
    expect(unmatched).toEqual(['shoe size', 'Create Date', 'mailproof id']);
  });

  it('looks at what the rows say where the property has a type', () => {
    expect(suggest(['followers'], hubspot, { samples: { followers: ['many', 'few'] } }).unmatched).toEqual([
      'followers',
    ]);
    expect(suggest(['followers'], hubspot, { samples: { followers: [null, 12] } }).pairs).toEqual({
      followers: 'followercount',
    });
  });

  it('says which other properties a new record needs', () => {
    const { pairs, missing } = suggest(['Title', 'email', 'Employer'], salesforceLead, { object: 'lead' });
    expect(pairs).toEqual({ Title: 'Title', email: 'Email', Employer: 'Company' });
    expect(missing).toEqual(['LastName']);
  });

  it('keeps what people have written, and renews verdicts', () => {
    const { policies } = suggest(['email', 'result_status'], salesforceLead, { object: 'lead' });
    expect(policies).toEqual({ email: 'fill_blank', result_status: 'overwrite' });
  });

  it('fills the properties that Mailproof creates for results, unless one has the name of the result', () => {
    const own = [property('mailproof_email'), property('mailproof_result'), ...hubspot];
    expect(suggest(['result_status', 'email', 'status'], own).pairs).toEqual({
      result_status: 'mailproof_result',
      email: 'email',
    });
    const lead = [property('mailproof_result__c'), property('mailproof_deliverable__c')];
    expect(suggest(['result_status', 'valid'], lead, { object: 'lead' }).pairs).toEqual({
      result_status: 'mailproof_result__c',
      valid: 'mailproof_deliverable__c',
    });
    expect(
      suggest(['result_status'], [...lead, ...salesforceLead], { object: 'lead' }).pairs['result_status'],
    ).toBe('result_status__c');
  });

  it('uses only the company columns of rows about people when companies are pushed', () => {
    const company = [
      property('name', { label: 'Name' }),
      property('domain', { label: 'Company Domain Name' }),
      property('city', { label: 'City' }),
    ];
    const { pairs, unmatched } = suggest(['name', 'company_name', 'company_domain', 'city'], company, {
      source: { kind: 'saved_people' },
      object: 'company',
    });
    expect(pairs).toEqual({ company_name: 'name', company_domain: 'domain' });
    expect(unmatched).toEqual(['name', 'city']);
  });
});
