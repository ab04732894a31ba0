import { describe, expect, it } from '@jest/globals';
import { companyFields, personFields } from './fields.ts';
import { readCompanyRow, readPersonRow } from './read-row.ts';

const mappingOf = (fields: readonly { readonly name: string }[]) =>
  Object.fromEntries(fields.map(({ name }) => [name, name]));
const person = mappingOf(personFields);
const company = mappingOf(companyFields);
const hidden = [
  'about ada@acme.test and',
  'ada [at] acme [dot] test!',
  'ada＠acme.test,',
  '&lt;ada&#64;acme.test',
];

describe('an email address', () => {
  it.each(hidden)('comes in by no field: %s', text => {
    const whole = { profile_url: 'linkedin.com/in/ada', full_name: 'Ada', name: 'Acme', domain: 'acme.test' };
    const values = {
      ...Object.fromEntries([...personFields, ...companyFields].map(({ name }) => [name, `Ada ${text}`])),
      keywords: ['pumps', text],
      website: `https://x.test/?${encodeURIComponent(text)}`,
      company_domain: 'acme.test',
    };
    for (const read of [
      readPersonRow({ ...values, profile_url: whole.profile_url }, person),
      readCompanyRow({ ...values, profile_url: '', domain: whole.domain }, company),
    ]) {
      expect(read).toHaveProperty('record');
      expect(
        decodeURIComponent(
          JSON.stringify({ ...read, record: { ...('record' in read && read.record) } }),
        ).replace(/"(?:domain|companyDomain|website)":"(?:https:..)?acme.test.?"/g, ''),
      ).not.toMatch(/acme/);
    }
  });

  it('is refused as the key of a record', () => {
    for (const url of ['https://x.test/people/ada%40acme.test', 'https://x.test/?u=ada@acme.test']) {
      expect(readPersonRow({ profile_url: url, full_name: 'Ada' }, person)).toEqual({
        refused: 'email_address',
      });
      expect(readCompanyRow({ profile_url: url, name: 'Acme', domain: 'acme.test' }, company)).toMatchObject({
        record: { profileKey: null, profileUrl: null },
        ignored: ['profile_url'],
      });
    }
  });
});
