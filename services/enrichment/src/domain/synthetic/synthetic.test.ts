import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { departments, seniorities } from '@mailproof/shared-types';
import { industryOf } from '../reading/industry.ts';
import { industryPhrases } from './industry-phrases.ts';
import { syntheticCompany } from './synthetic-company.ts';
import { syntheticExamples } from './synthetic-examples.ts';
import { syntheticPerson } from './synthetic-person.ts';

const count = 3_000;
const companies = Array.from({ length: count }, (_, index) => syntheticCompany(7, index));
const people = Array.from({ length: count }, (_, index) => syntheticPerson(7, index, count));

describe('synthetic records', () => {
  it('are the same for the same seed, and others for another', () => {
    expect(syntheticCompany(7, 41)).toEqual(companies[41]);
    expect(syntheticPerson(7, 41, count)).toEqual(people[41]);
    expect(syntheticCompany(8, 41)).not.toEqual(companies[41]);
    expect(syntheticPerson(8, 41, count)).not.toEqual(people[41]);
  });

  it('mean nobody: every host is one that cannot be owned', () => {
    for (const { domain, website, profileUrl } of companies) {
      expect(domain).toMatch(/^[a-z0-9-]+\.example$/);
      expect(new URL(website ?? '').hostname).toMatch(/\.example$/);
      expect(new URL(profileUrl ?? '').hostname).toMatch(/\.example$/);
    }
    for (const person of people) {
      expect(person.companyDomain).toMatch(/\.example$/);
      expect(new URL(person.profileUrl).hostname).toMatch(/\.example$/);
    }
  });

  it('differ in what they are known by', () => {
    expect(new Set(companies.map(({ domain }) => domain)).size).toBe(count);
    expect(new Set(people.map(({ profileKey }) => profileKey)).size).toBe(count);
  });

  it('put people into companies of the same seed', () => {
    const domains = new Set(companies.map(({ domain }) => domain));
    expect(people.every(({ companyDomain }) => domains.has(companyDomain))).toBe(true);
  });

  it('speak the vocabularies, and use most of them', () => {
    const used = new Set(people.map(({ seniority }) => seniority));
    expect([...used].every(word => word === null || seniorities.includes(word))).toBe(true);
    expect(used.size).toBeGreaterThanOrEqual(8);
    const places = new Set(people.map(({ department }) => department));
    expect([...places].every(word => word === null || departments.includes(word))).toBe(true);
    expect(places.size).toBeGreaterThanOrEqual(18);
    expect(new Set(companies.map(({ companySize }) => companySize)).size).toBe(8);
    expect(new Set(companies.map(({ country }) => country)).size).toBeGreaterThan(25);
  });

  it('name industries as the importer would read their labels', () => {
    for (const { label, industry, naics } of industryPhrases) {
      expect({ label, ...industryOf(label) }).toEqual({ label, industry, naics });
    }
  });

  it('are the seeds that the page about leads shows, in a store that `npm start` has filled', async () => {
    const page = await readFile(new URL('../../../../../docs/find-leads.md', import.meta.url), 'utf8');
    const { companyDomains } = syntheticExamples({ seed: 1, companies: 300, people: 3_000 });
    expect(companyDomains.filter(domain => !page.includes(`"${domain}"`))).toEqual([]);
  });

  it('name examples that are among what was invented, seeds of one industry', () => {
    const { profileUrl, companyDomains } = syntheticExamples({ seed: 7, companies: count, people: count });
    expect(people.some(person => person.profileUrl === profileUrl)).toBe(true);
    const seeds = companies.filter(({ domain }) => domain && companyDomains.includes(domain));
    expect(seeds).toHaveLength(3);
    expect(new Set(seeds.map(({ industry }) => industry)).size).toBe(1);
    expect(syntheticExamples({ seed: 7, companies: 1, people: 0 })).toEqual({
      companyDomains: [companies[0]?.domain],
    });
  });
});
