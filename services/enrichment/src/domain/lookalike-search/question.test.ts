import { describe, expect, it } from '@jest/globals';
import {
  askedQuestion,
  type QuestionFault,
  readQuestion,
  siteDomainOf,
  type WrittenQuestion,
  writeQuestion,
} from './question.ts';

const asked = (question: Partial<WrittenQuestion>) =>
  askedQuestion({ seed_domains: ['seed.example'], unlike_domains: [], filters: {}, ...question });

const issuesOf = (question: Partial<WrittenQuestion>) => {
  try {
    asked(question);
  } catch (error) {
    return (error as QuestionFault).issues.map(({ pointer }) => pointer);
  }
  return [];
};

describe('the domain of a company', () => {
  it.each([
    ['seed.example', 'seed.example'],
    ['  WWW.Seed.Example. ', 'seed.example'],
    ['https://www.seed.example:8443/about?x=1#team', 'seed.example'],
    ['//seed.example/', 'seed.example'],
    ['shop.seed.co.uk/de', 'seed.co.uk'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['https://BÜCHER.example/über-uns', 'xn--bcher-kva.example'],
    ['xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['https://seed.github.io/', 'seed.github.io'],
    ['linkedin.com', 'linkedin.com'],
  ])('in %s', (text, domain) => {
    expect(siteDomainOf(text)).toBe(domain);
  });

  it.each([
    '',
    'com',
    'co.uk',
    'localhost',
    '127.0.0.1',
    'http://[::1]/',
    '2130706433',
    'ada@seed.example',
    'https://ada:secret@seed.example/',
    'javascript://seed.example/%0aalert(1)',
    'seed example',
    'https://www.linkedin.com/company/seed',
    'seed..example',
    `${'a'.repeat(64)}.example`,
    'seed.exa\u0000mple',
    "seed.example'; DROP TABLE company; --",
    '☠.'.repeat(400),
  ])('is nowhere in %j', text => {
    expect(siteDomainOf(text)).toBeUndefined();
  });
});

describe('the question of a request', () => {
  it('names every domain once, in the order of the request', () => {
    const question = asked({
      seed_domains: ['b.example', 'https://www.b.example/', 'a.example', 'B.EXAMPLE'],
      unlike_domains: ['c.example', 'c.example'],
      filters: { countries: ['DE'], excluded_domains: ['https://d.example/', 'd.example'] },
    });
    expect(question).toEqual({
      seedDomains: ['b.example', 'a.example'],
      seedText: null,
      seedPages: {},
      unlikeDomains: ['c.example'],
      filters: { countries: ['DE'], excluded_domains: ['d.example'] },
    });
    expect(readQuestion(JSON.parse(JSON.stringify(writeQuestion(question))))).toEqual(question);
  });

  it('has a text, without addresses and telephone numbers, and with no other seed', () => {
    const question = asked({
      seed_domains: [],
      seed_text: ' Repairs pumps.\nWrite to ada@seed.example or call +49 30 901820. ',
    });
    expect(question.seedText).toBe('Repairs pumps. Write to or call .');
    const kept = { ...question, seedPages: { 'a.example': { words: { pump: 2 } } } };
    expect(readQuestion(JSON.parse(JSON.stringify(writeQuestion(kept))))).toEqual(kept);
    expect(issuesOf({ seed_domains: [], seed_text: 'ada@seed.example' })).toEqual(['/seed_domains']);
    expect(issuesOf({ seed_domains: [] })).toEqual(['/seed_domains']);
  });

  it('of an earlier release has no text and no website', () => {
    const kept = { seed_domains: ['a.example'], unlike_domains: [], filters: {} };
    expect(readQuestion(kept)).toMatchObject({ seedDomains: ['a.example'], seedText: null, seedPages: {} });
  });

  it('points at each text that names no domain', () => {
    expect(
      issuesOf({
        seed_domains: ['seed.example', 'nobody', 'ada@seed.example'],
        unlike_domains: ['10.0.0.1'],
        filters: { excluded_domains: ['x', 'd.example'] },
      }),
    ).toEqual(['/seed_domains/1', '/seed_domains/2', '/unlike_domains/0', '/filters/excluded_domains/0']);
  });

  it('refuses a domain that is both like and unlike, however it is written', () => {
    expect(issuesOf({ unlike_domains: ['other.example', 'https://www.SEED.example/'] })).toEqual([
      '/unlike_domains/1',
    ]);
  });
});
