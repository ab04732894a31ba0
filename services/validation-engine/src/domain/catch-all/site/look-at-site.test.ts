import { describe, expect, test } from '@jest/globals';
import { pageReader } from '../../../adapters/web/page-reader.ts';
import { deadlineAfter } from '../../concurrency/deadline.ts';
import type { WebOutcome } from '../web-client.ts';
import { lookAtSite } from './look-at-site.ts';
import type { SpareRequests } from './site-visit.ts';

const domain = { ascii: 'firma.example', unicode: 'firma.example' };
const clock = { nowMs: () => performance.now() };
const robots = `User-agent: *\n${`Disallow: /*${'*a'.repeat(9)}b\n`.repeat(380)}Disallow: /*contact`;

function answer(body: string, more: Partial<Extract<WebOutcome, { kind: 'response' }>> = {}): WebOutcome {
  const headers = { 'content-type': 'text/html' };
  return { kind: 'response', status: 200, headers, body: Buffer.from(body), ...more };
}

/** What an answer to a path is; other paths get `Not found`. */
type Pages = Readonly<Record<string, WebOutcome>>;

function visit(pages: Pages, spare?: SpareRequests, deadlineMs = 20_000) {
  const asked: string[] = [];
  const looking = lookAtSite(
    {
      web: {
        async get({ host, path }) {
          asked.push(`${host}${path}`);
          const any = pages['*'] ?? answer('Not found', { status: 404 });
          return pages[`${host}${path}`] ?? pages[path] ?? any;
        },
      },
      reader: pageReader,
      clock,
      madeUpName: () => 'no-such-page',
      roles: new Set(),
      nowMs: Date.now,
    },
    domain,
    deadlineAfter(clock, deadlineMs, new AbortController().signal),
    spare,
  );
  return looking.then(look => ({
    kind: look.kind,
    asked,
    places: Object.fromEntries(
      (look.kind === 'read' ? look.printed : []).map(({ email, place }) => [email.localPart.text, place]),
    ),
  }));
}

/** The CPU time of a look, in milliseconds. */
async function lookMs(page: WebOutcome): Promise<number> {
  const startedAt = process.cpuUsage();
  const { kind } = await visit({ '/robots.txt': answer(robots), '*': page });
  expect(kind).toBe('read');
  return process.cpuUsage(startedAt).user / 1_000;
}

const moved = (location: string) => answer('', { status: 302, headers: { location } });
const file = (text: string) => answer(text, { headers: { 'content-type': 'text/plain' } });
const ada = 'ada@firma.example';

test('many links that robots.txt forbids take little time', async () => {
  const links = Array.from({ length: 1_000 }, (_, at) => `<a href="/${'a'.repeat(180)}${at}/contact">x</a>`);
  expect(await lookMs(answer(links.join('')))).toBeLessThan(5_000);
});

test('redirects to long paths take little time', async () => {
  expect(await lookMs(moved(`/${'a'.repeat(15_000)}`))).toBeLessThan(5_000);
});

test('a site that redirects from host to host is asked at two: each name costs DNS queries', async () => {
  const { kind, asked } = await visit({
    'firma.example/robots.txt': moved('https://a.firma.example/robots.txt'),
    'a.firma.example/robots.txt': moved('https://b.firma.example/robots.txt'),
    'b.firma.example/robots.txt': moved('https://c.firma.example/robots.txt'),
  });
  expect(kind).toBe('no_site');
  expect(asked).toEqual(['firma.example/robots.txt', 'a.firma.example/robots.txt']);
});

test('a site is found at its www host if the domain itself has no server for HTTPS', async () => {
  const { places, asked } = await visit({
    'firma.example/robots.txt': { kind: 'failure' },
    'www.firma.example/': answer('<a href="/contact">Contact</a>'),
    'www.firma.example/no-such-page': answer('<a href="/contact">Contact</a>', { status: 404 }),
    'www.firma.example/contact': answer(ada),
  });
  expect(places).toEqual({ ada: 'on_contact_page' });
  expect(asked).toHaveLength(4);
});

test('a site that fails at both hosts may be repaired, and is not taken for missing', async () => {
  const failure: WebOutcome = { kind: 'failure' };
  const none: WebOutcome = { kind: 'no_such_host' };
  const at = async (www: WebOutcome) =>
    (await visit({ 'firma.example/robots.txt': failure, 'www.firma.example/robots.txt': www })).kind;
  expect([await at(failure), await at(none)]).toEqual(['failed', 'failed']);
});

describe('an address is no contact of the company because of', () => {
  test.each<readonly [string, Pages, Record<string, string>]>([
    [
      'a redirect from the contact page to the home page',
      { '/no-such-page': answer('<a href="/contact">Contact</a>'), '/contact': moved('/'), '/': answer(ada) },
      { ada: 'on_page' },
    ],
    [
      'a redirect from the contact page to a page of visitors',
      {
        '/': answer('<a href="/contact">Contact</a>'),
        '/contact': moved('/forum/17'),
        '/forum/17': answer(ada),
      },
      {},
    ],
    [
      'the data of a person on the page of the team',
      {
        '/': answer('<a href="/team">Team</a>'),
        '/team': answer(`<script type="application/ld+json">{"@type":"Person","email":"${ada}"}</script>`),
      },
      { ada: 'on_team_page' },
    ],
    [
      'thanks in security.txt',
      {
        '/': answer('Hello'),
        '/.well-known/security.txt': file(`# Thanks to ${ada}\nContact: mailto:security@firma.example\n`),
      },
      { security: 'in_security_txt' },
    ],
  ])('%s', async (_, pages, places) => {
    expect((await visit(pages)).places).toEqual(places);
  });
});

test('a site that prints the made-up path later, on another page, proves nothing', async () => {
  const { kind } = await visit({
    '/': answer('<a href="/contact">Contact</a>'),
    '/contact': answer(`<p>${ada}</p><p>You came from no-such-page@firma.example</p>`),
  });
  expect(kind).toBe('prints_anything');
});

test('what a site prints on a made-up page that it takes for real does not count on its others', async () => {
  const { places } = await visit({
    '/': answer(`<a href="/contact">Contact</a><p>Home, ${ada}</p>`),
    '/contact': answer(`<p>Contact, ${ada}</p><p>grace@firma.example</p>`),
    '*': answer(`<p>Any page, ${ada}</p>`),
  });
  expect(places).toEqual({ grace: 'on_contact_page' });
});

describe('a contact page with many addresses', () => {
  const printing = (localParts: string) =>
    visit({
      '/': answer('<a href="/contact">Contact</a>'),
      '/contact': answer(
        localParts
          .split(' ')
          .map(name => `<p>${name}@firma.example</p>`)
          .join(''),
      ),
    });
  const staff =
    'ada.lovelace alan.turing grace.hopper info edsger.dijkstra krzysztof.nowak m.schwarz barbara.liskov donald.knuth';

  test('of random letters proves nothing', async () => {
    const trap = 'xkcdqzpw bcjkwhtr tvxlrmqw zqwhgfdk pqrvxtbn wvkjhqzs hgfdsxcv kqzjxwvp mnbvcxzq';
    expect((await printing(`${trap} ${staff}`)).places).toMatchObject({ 'ada.lovelace': 'on_contact_page' });
    expect((await printing(`${trap} ${trap.replaceAll(' ', 'q ')} ada`)).kind).toBe('prints_anything');
  });

  test('of people is one of a company', async () => {
    expect((await printing(`${staff} qzxw.vkjq`)).places).toMatchObject({ 'alan.turing': 'on_contact_page' });
  });
});

test('of two pages that print an address, the one that says more counts', async () => {
  const { places } = await visit({
    '/no-such-page': answer('<a href="/team">Team</a>', { status: 404 }),
    '/team': answer(`Ada: ${ada}`),
    '/': answer(`Write to ${ada}`),
  });
  expect(places).toEqual({ ada: 'on_team_page' });
});

test('every contact of security.txt is read as the link that it is', async () => {
  const contacts = [
    'mailto:psirt%2Bcert@firma.example?subject=x',
    'https://firma.example/x',
    'cert@firma.example',
  ];
  const { places } = await visit({
    '/': answer('Hello'),
    '/.well-known/security.txt': file(contacts.map(value => `Contact: ${value}`).join('\r\n')),
  });
  expect(places).toEqual({ 'psirt+cert': 'in_security_txt', cert: 'in_security_txt' });
});

describe('a look', () => {
  const links = ['contact', 'imprint', 'team', 'about', 'press'].map(
    name => `<a href="/${name}">${name}</a>`,
  );
  const pages: Pages = {
    '/': answer(links.join('')),
    '/contact': answer('Hello'),
    '*': answer(links.join('')),
  };

  test('makes four requests, and two more of those that other sources did not need', async () => {
    const paths = async (spare?: SpareRequests) =>
      (await visit({ ...pages, '/robots.txt': file('') }, spare)).asked.map(url => url.replace(/^[^/]*/, ''));
    const usual = ['/robots.txt', '/no-such-page', '/contact', '/imprint'];
    expect(await paths()).toEqual(usual);
    expect(await paths(async () => 1)).toEqual([...usual, '/team']);
    expect(await paths(async () => 4)).toEqual([...usual, '/team', '/']);
  });

  test('does not wait for the other sources longer than it has time', async () => {
    const never = () => new Promise<number>(() => {});
    const { kind, asked } = await visit({ ...pages, '/robots.txt': file('') }, never, 300);
    expect([kind, asked.length]).toEqual(['read', 4]);
  });

  test('takes no more if it has read all pages that are linked', async () => {
    let isTaken = false;
    await visit({ '/': answer('<a href="/contact">Contact</a>'), '/contact': answer('Hello') }, async () => {
      isTaken = true;
      return 2;
    });
    expect(isTaken).toBe(false);
  });
});
