import { expect, it } from '@jest/globals';
import type { Schema } from '../../api/client.ts';
import { inOrder } from './preview-order.ts';

const person = (
  name: string,
  job_title: string | null,
  company: string | null,
  domain: string | null = null,
) =>
  ({
    person_id: name,
    name,
    job_title,
    company: { name: company, domain },
  }) as unknown as Schema['PreviewedPerson'];
const company = (name: string, industry: string | null) =>
  ({ company_id: name, company: { name }, industry }) as unknown as Schema['FoundCompany'];

it('sorts people by what is shown, unknown values last, and keeps the order of equal ones', () => {
  const people = [
    person('Zoë', null, 'Beta'),
    person('ada', 'Engineer', null, 'alpha.example'),
    person('Émile', 'Accountant', null),
    person('Bob', 'Engineer', 'Beta'),
  ];
  const names = (order: Parameters<typeof inOrder>[1]) => inOrder(people, order).map(({ name }) => name);
  expect(names('found')).toEqual(['Zoë', 'ada', 'Émile', 'Bob']);
  expect(names('name')).toEqual(['ada', 'Bob', 'Émile', 'Zoë']);
  expect(names('job_title')).toEqual(['Émile', 'ada', 'Bob', 'Zoë']);
  expect(names('company')).toEqual(['ada', 'Zoë', 'Bob', 'Émile']);
});

it('sorts companies by name and by industry', () => {
  const companies = [company('Zeta', 'software'), company('alpha', null), company('Beta', 'banking')];
  const names = (order: Parameters<typeof inOrder>[1]) =>
    inOrder(companies, order).map(({ company: { name } }) => name);
  expect(names('name')).toEqual(['alpha', 'Beta', 'Zeta']);
  expect(names('industry')).toEqual(['Beta', 'Zeta', 'alpha']);
});
