import { describe, expect, it } from '@jest/globals';
import { decodePage, readRobots } from './public-pages.ts';

const origin = 'https://firma.example';

function rulesIn(text: string) {
  return readRobots(origin, 200, Buffer.from(text));
}

function allows(text: string, path: string): boolean | undefined {
  return rulesIn(text)?.allows(`${origin}${path}`);
}

describe('robots.txt', () => {
  it.each([
    ['a rule for all programs', 'User-agent: *\nDisallow: /x', false],
    ['a rule for us, with a version', 'user-agent: mailproof/1.0\ndisallow: /x', false],
    [
      'a rule for us among others',
      'User-agent: a\nUser-agent: Mailproof\nUser-agent: b\nDisallow: /x',
      false,
    ],
    ['a rule for others', 'User-agent: a\nDisallow: /x', true],
    [
      'our own rules instead of those for all',
      'User-agent: *\nDisallow: /\n\nUser-agent: Mailproof\nDisallow:',
      true,
    ],
    ['a comment after a rule', 'User-agent: * # all\nDisallow: /x # not this', false],
    ['a blank line between a program and its rules', 'User-agent: *\n\nDisallow: /x', false],
    ['a rule after a sitemap', 'User-agent: *\nSitemap: https://firma.example/s.xml\nDisallow: /x', false],
    [
      'another record between the programs of a group',
      'User-agent: Mailproof\nCrawl-delay: 5\nUser-agent: b\nDisallow: /x',
      false,
    ],
    ['a group that ends before the rule', 'User-agent: *\nAllow: /\nUser-agent: a\nDisallow: /x', true],
    ['wildcards in a row', 'User-agent: *\nDisallow: /***x$', false],
    ['a rule for us with a word more', 'User-agent: Mailproof Bot\nDisallow: /x', false],
    ['a rule for us with a wildcard', 'User-agent: Mailproof*\nDisallow: /x', false],
    ['a rule for a program with a longer name', 'User-agent: Mailproof-Other\nDisallow: /x', true],
    ['a rule for all programs with a word more', 'User-agent: * all\nDisallow: /x', false],
    ['a path without a slash', 'User-agent: *\nDisallow: x', false],
    ['a letter that needs no encoding', 'User-agent: *\nDisallow: /%78', false],
    ['an encoded slash, which is none', 'User-agent: *\nDisallow: /%2Fx', true],
    ['an empty rule', 'User-agent: *\nDisallow:', true],
    ['a rule with a hash that is escaped', 'User-agent: *\nDisallow: /%23', true],
  ])('is read with %s', (_, text, isAllowed) => {
    expect(allows(text, '/x')).toBe(isAllowed);
  });

  it('forbids a path that encodes what needs no encoding', () => {
    expect(allows('User-agent: *\nDisallow: /contact', '/%63ontact')).toBe(false);
  });

  it('names sitemaps in and outside of groups', () => {
    const text = 'Sitemap: /one.xml\nUser-agent: a\nSitemap: /two.xml';
    expect(rulesIn(text)?.sitemaps).toEqual(['/one.xml', '/two.xml']);
  });

  it('with thousands of programs and rules takes little memory', () => {
    const agents = Array.from({ length: 16_000 }, (_, at) => `user-agent:a${at}`);
    const text = [...agents, ...Array.from({ length: 30_000 }, () => 'allow:/')].join('\n');
    expect(text.length).toBeLessThan(512 * 1_024);
    const before = process.memoryUsage().rss;
    expect(allows(text, '/x')).toBe(true);
    expect(process.memoryUsage().rss - before).toBeLessThan(200_000_000);
  });

  it.each([
    ['in one rule', `Disallow: /${'*a'.repeat(250_000)}`],
    ['in many rules', 'Disallow: *b\n'.repeat(39_000)],
  ])('with more wildcards than programs can compare in time, %s, says nothing for now', (_, rules) => {
    expect(rulesIn(`User-agent: *\n${rules}`)).toBeUndefined();
    expect(rulesIn(`User-agent: other\n${rules}`)?.allows(`${origin}/x`)).toBe(true);
  });
});

describe('a page', () => {
  const octets = (text: string) => Buffer.from(text, 'latin1');

  it.each([
    ['its header names', octets('Gr\u00fc\u00dfe'), 'iso-8859-1', 'Grüße'],
    [
      'it names',
      octets('<meta charset=windows-1251>\u00c4\u00e0'),
      undefined,
      '<meta charset=windows-1251>Да',
    ],
    [
      'its header names, not the page',
      Buffer.from('<meta charset=koi8-r>é'),
      'utf-8',
      '<meta charset=koi8-r>é',
    ],
    ['its mark says, not its header', Buffer.from('\uFEFFé'), 'iso-8859-1', 'é'],
    ['its mark of UTF-16 says', Buffer.from('\uFEFFé', 'utf16le'), undefined, 'é'],
    ['is usual', Buffer.from('é €'), undefined, 'é €'],
    ['is usual where the named one is unknown', Buffer.from('é'), 'x-unknown', 'é'],
    [
      'is usual where it names one that it is not in',
      Buffer.from('<meta charset="utf-16">é'),
      undefined,
      '<meta charset="utf-16">é',
    ],
    ['was usual, if it is no UTF-8', octets('b\u00fcro \u0096 \u0080'), undefined, 'büro – €'],
  ])('is decoded by the charset that %s', (_, body, charset, text) => {
    expect(decodePage(body, charset)).toBe(text);
  });
});
