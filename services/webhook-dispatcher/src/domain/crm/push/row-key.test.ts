import { describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import { domainOf, identifyingValueOf, ownKeyOf, rowKeyOf } from './row-key.ts';

const job = { kind: 'validation_job', job_id: newId('validationJob') } as const;
const people = { kind: 'saved_people' } as const;
const companies = { kind: 'saved_companies' } as const;

const keyOf = (
  source: Parameters<typeof rowKeyOf>[0],
  object: Parameters<typeof rowKeyOf>[1],
  cells: Record<string, string | null>,
  identifying?: string,
) => {
  const key = rowKeyOf(source, object);
  return key && ownKeyOf(key, column => cells[column], identifying);
};

describe('our key of a record', () => {
  it('is the id of a saved person or company', () => {
    expect(keyOf(people, 'contact', { person_id: 'pers_1', name: 'Jane' })).toBe('pers_1');
    expect(keyOf(companies, 'company', { company_id: 'comp_1' })).toBe('comp_1');
  });

  it('is the address of a validated row, however it is written', () => {
    for (const email of ['Jane@Ordinary.Example', ' jane@ordinary.example ', '"jane"@ordinary.example']) {
      expect(keyOf(job, 'contact', { email })).toBe('jane@ordinary.example');
    }
    expect(keyOf(job, 'lead', { email: 'jane@bücher.example' })).toBe('jane@xn--bcher-kva.example');
  });

  it('is nothing where the row has no address, so that such rows never become one record', () => {
    for (const email of [null, '', 'n/a', 'jane@', '-']) {
      expect(keyOf(job, 'contact', { email })).toBeUndefined();
    }
  });

  it('is the domain of the company that a row about a person names', () => {
    expect(keyOf(people, 'company', { person_id: 'pers_1' }, 'ordinary.example')).toBe('ordinary.example');
    expect(keyOf(people, 'company', { person_id: 'pers_1' })).toBeUndefined();
  });

  it('is not made for companies that were to become people', () => {
    expect(rowKeyOf(companies, 'contact')).toBeUndefined();
    expect(rowKeyOf(companies, 'lead')).toBeUndefined();
  });
});

it.each(['', 'localhost', 'not a domain', 'https://', 'a@b'])('%j has no domain', written =>
  expect(identifyingValueOf(written, { kind: 'domain' })).toBeUndefined(),
);

describe('the domain of a website', () => {
  it.each([
    ['example.com', 'example.com'],
    ['https://www.Example.com/', 'example.com'],
    [' http://www.example.com:8080/about?x=1#y ', 'example.com'],
    ['HTTPS://example.co.uk/team', 'example.co.uk'],
    ['shop.example.com', 'shop.example.com'],
    ['www.com', 'www.com'],
    ['https://münchen.example', 'xn--mnchen-3ya.example'],
    ['example.com.', 'example.com'],
  ])('of %j is %j', (website, domain) => {
    expect(domainOf(website)).toBe(domain);
  });

  it.each([
    '',
    'none',
    'n/a',
    'http://192.0.2.1/',
    'http://[::1]/',
    'ftp://example.com',
    'javascript://example.com',
    'not a website.com',
    'a\\b.com',
    "o'brien",
  ])('is not known of %j', website => {
    expect(domainOf(website)).toBeUndefined();
  });
});
