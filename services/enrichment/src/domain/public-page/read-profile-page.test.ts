import { describe, expect, it } from '@jest/globals';
import { parsePage } from '../../adapters/outside/visit-page.ts';
import { type ProfileUrl, parseProfileUrl } from '../profile-url/parse-profile-url.ts';
import type { PageFacts } from './forbidden-pages.ts';
import { readProfilePage } from './read-profile-page.ts';

const profileOf = (url: string) => parseProfileUrl(url) as ProfileUrl;
const github = profileOf('https://github.com/ada');
const orcid = profileOf('https://orcid.org/0000-0002-1694-233X');
const website = profileOf('https://ordinary.example');
const page = (...contents: unknown[]) =>
  contents.map(each => `<script type="application/ld+json">${JSON.stringify(each)}</script>`).join('<p>');
const read = async (html: string, profile = github) =>
  readProfilePage((await parsePage(html)) as PageFacts, profile);
const ada = { '@type': 'Person', name: 'Ada Example', jobTitle: ['Engineer', 'Poet'] };

describe('JSON-LD', () => {
  it.each([
    ['alone', ada],
    ['in a list', [{ '@type': 'WebSite', name: 'GitHub' }, ada]],
    ['in a graph', { '@graph': [{ '@type': 'Organization', name: 'GitHub' }, ada] }],
    ['as the main entity of a profile page', { '@type': 'ProfilePage', mainEntity: ada }],
    ['by the address of its type', { ...ada, '@type': ['Thing', 'https://schema.org/Person'] }],
    [
      'referred to by a profile page',
      {
        '@graph': [
          { '@type': 'ProfilePage', mainEntity: { '@id': '#a' } },
          { ...ada, '@id': '#a' },
          { ...ada, name: 'Bob', '@id': '#b' },
        ],
      },
    ],
    [
      'among others, by its URL',
      [
        { ...ada, name: 'Bob' },
        { ...ada, url: 'https://www.github.com/ADA/' },
      ],
    ],
    ['with colleagues', { ...ada, colleague: [{ '@type': 'Person', name: 'Bob' }] }],
  ])('names a person %s', async (_where, content) => {
    expect(await read(page(content))).toMatchObject({
      kind: 'person',
      first_name: 'Ada',
      last_name: 'Example',
      headline: 'Engineer',
    });
  });

  it('splits a name only if there is exactly one way to', async () => {
    expect(await read(page({ ...ada, name: 'Ada King Example' }))).not.toHaveProperty('first_name');
    expect(await read(page({ ...ada, givenName: 'Ada King', familyName: 'Example' }))).toMatchObject({
      first_name: 'Ada King',
    });
  });

  it('names the company in each of its forms', async () => {
    for (const worksFor of [
      'Ordinary',
      { name: 'Ordinary' },
      [{ '@type': 'Organization', name: 'Ordinary' }],
    ]) {
      expect(await read(page({ ...ada, worksFor }))).toMatchObject({ company: 'Ordinary' });
    }
  });

  it('names an organization by its website or by its URL, and never by its publisher', async () => {
    const organisation = {
      '@type': 'Corporation',
      name: 'Ordinary',
      foundingDate: '1999-04-01',
      numberOfEmployees: { '@type': 'QuantitativeValue', value: 120 },
      address: { addressLocality: 'Bonn', addressCountry: { '@type': 'Country', name: 'DE' } },
    };
    expect(await read(page(organisation), website)).toEqual({
      kind: 'organisation',
      company: 'Ordinary',
      employee_count: 120,
      company_size: '51-200',
      founded_year: 1999,
      city: 'Bonn',
      country: 'DE',
    });
    expect(await read(page(organisation))).toBeUndefined();
    expect(await read(page({ ...organisation, url: 'https://github.com/ada' }))).toMatchObject({
      company: 'Ordinary',
    });
    expect(await read(page(organisation), orcid)).toBeUndefined();
  });

  it.each([
    ['several people', [ada, { ...ada, name: 'Bob' }]],
    ['no one', { '@type': 'Article', author: ada }],
    ['nonsense', [null, 5, 'x', { '@type': null, '@graph': { '@graph': 7 } }]],
    ['a nameless person', { '@type': 'Person', name: 7 }],
  ])('of %s says nothing', async (_whom, content) => {
    expect(await read(page(content))).toBeUndefined();
  });

  it('is read in bounded time and depth', async () => {
    let nested: unknown = ada;
    for (let depth = 0; depth < 1_000; depth += 1) nested = { '@graph': [nested] };
    expect(await read(page(nested))).toBeUndefined();
    expect(await read(page(Array.from({ length: 20_000 }, () => ({ '@type': 'Thing' }))))).toBeUndefined();
  });

  it('survives its neighbors', async () => {
    expect(
      await read(
        `<script type="application/ld+json">{"@type":</script><script>alert(1)</script>${page(ada)}`,
      ),
    ).toBeDefined();
  });
});

describe('OpenGraph', () => {
  const meta = (entries: Record<string, string>) =>
    Object.entries(entries)
      .map(([name, content]) => `<meta property="${name}" content="${content}">`)
      .join('');
  const profile = {
    'og:type': 'profile',
    'og:title': 'Ada Example',
    'og:description': 'Engineer &amp; poet',
    'profile:first_name': 'Ada',
  };

  it('is read where the page says that it is a profile', async () => {
    expect(await read(meta(profile))).toEqual({
      kind: 'person',
      first_name: 'Ada',
      full_name: 'Ada Example',
      headline: 'Engineer & poet',
    });
    expect(await read(meta({ ...profile, 'og:type': 'article' }))).toBeUndefined();
  });

  it('gives way to JSON-LD', async () => {
    expect(await read(meta(profile) + page({ ...ada, givenName: 'Augusta' }))).toMatchObject({
      first_name: 'Augusta',
    });
  });
});
