import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  catchAllPostfix,
  type DomainScript,
  type MailLab,
  type PageScript,
  postfix,
  startMailLab,
  type WebScript,
} from '@mailproof/mail-lab';
import { parseEmailAddress } from '@mailproof/shared-types';
import { composeValidation } from '../src/compose/validation.ts';
import { loadValidationConfig } from '../src/config.ts';
import { evidenceSources } from '../src/domain/catch-all/sources.ts';
import { labSettings } from './engine-in-lab.ts';

/** A catch-all domain with these web hosts, by the part of their names before the domain. */
function siteOf(
  domain: string,
  web: Readonly<Record<string, WebScript | { address: string }>>,
): DomainScript {
  const hosts = Object.entries(web).map(([part, script]) => [`${part}${domain}`, script] as const);
  return {
    domain,
    story: 'A catch-all with a site.',
    dns: { mx: [[10, `mx.${domain}`]] },
    hosts: { [`mx.${domain}`]: catchAllPostfix() },
    web: Object.fromEntries(hosts),
    expected: [],
  };
}

const nav = '<nav><a href="/contact">Contact</a></nav>';
const prints = (domain: string, localPart = 'ada') => `<p>Mail: ${localPart}@${domain}</p>`;
const html = (body: string, page: Partial<PageScript> = {}): PageScript => ({ body, ...page });

/** A site whose home page links to a contact page. */
function contactSite(contact: PageScript | string, more: WebScript = {}): WebScript {
  return {
    ...more,
    pages: {
      '/': html(`<h1>Home</h1>${nav}`),
      '/contact': typeof contact === 'string' ? html(contact) : contact,
      ...more.pages,
    },
  };
}

const many = (domain: string, count: number) =>
  Array.from({ length: count }, (_, at) => prints(domain, `person${at}`)).join('');

type Trap = readonly [name: string, domain: string, web: Parameters<typeof siteOf>[1], finding: string];

/** Sites that print ada's address, or seem to, and prove nothing. */
const traps: readonly Trap[] = [
  [
    'a site that repeats the requested path',
    'echo.example',
    { '': contactSite(prints('echo.example'), { otherPages: html('<p>Ask {path}@echo.example</p>') }) },
    'prints_anything',
  ],
  [
    'a site that repeats the requested path with status 404',
    'echo404.example',
    {
      '': contactSite(prints('echo404.example'), {
        otherPages: html('<p>Ask {path}@echo404.example</p>', { status: 404 }),
      }),
    },
    'prints_anything',
  ],
  [
    'a site that prints the address on every page that does not exist',
    'soft404.example',
    { '': { otherPages: html(`${nav}${prints('soft404.example')}`) } },
    'prints_anything',
  ],
  [
    'a site that makes up addresses on a page that does not exist',
    'invents.example',
    {
      '': contactSite(prints('invents.example'), {
        otherPages: html(`${nav}${prints('invents.example', 'brenda')}`, { status: 404 }),
      }),
    },
    'prints_anything',
  ],
  [
    'a page with thousands of made-up addresses',
    'honeypot.example',
    { '': contactSite(prints('honeypot.example') + many('honeypot.example', 3_000)) },
    'prints_anything',
  ],
  [
    'a link that contains the address, to a page that repeats it',
    'mirror.example',
    {
      '': {
        pages: {
          '/': html('<a href="/contact?to=ada@mirror.example">Contact</a>'),
          '/contact': html(prints('mirror.example')),
        },
      },
    },
    'not_printed',
  ],
  [
    'a page of another company',
    'elsewhere.example',
    {
      '': contactSite({ status: 302, headers: { location: 'https://other-company.example/contact' } }),
    },
    'not_printed',
  ],
  [
    'a site that redirects to another company',
    'moved.example',
    { '': { otherPages: { status: 301, headers: { location: 'https://other-company.example{path}' } } } },
    'not_printed',
  ],
  [
    'a comment, a script and a placeholder',
    'hidden.example',
    {
      '': contactSite(
        '<!-- ada@hidden.example --><script>"ada@hidden.example"</script><input placeholder="ada@hidden.example">',
      ),
    },
    'not_printed',
  ],
  [
    'an example',
    'sample.example',
    { '': contactSite('<p>Your address, e.g. ada@sample.example</p>') },
    'not_printed',
  ],
  [
    'comments of visitors',
    'forum.example',
    { '': contactSite(`<ol class="comments"><li>${prints('forum.example')}</li></ol>`) },
    'not_printed',
  ],
  [
    'a page that only a visitor links to',
    'profiles.example',
    {
      '': {
        pages: {
          '/': html(
            '<div class="comments"><a href="/p/eve">Contact</a> <a rel="ugc" href="/p/eve">Team</a></div>',
          ),
          '/p/eve': html(prints('profiles.example')),
        },
      },
    },
    'not_printed',
  ],
  [
    'a topic of a forum',
    'topics.example',
    {
      '': {
        pages: {
          '/': html('<a href="/t/hello/17">Contact</a>'),
          '/t/hello/17': html(prints('topics.example')),
        },
      },
    },
    'not_printed',
  ],
  [
    'a guestbook',
    'guestbook.example',
    {
      '': {
        pages: {
          '/': html('<a href="/guestbook">Contact</a>'),
          '/guestbook': html(prints('guestbook.example')),
        },
      },
    },
    'not_printed',
  ],
  [
    'a parked domain',
    'parked.example',
    { '': contactSite(`<h1>This domain is for sale</h1>${prints('parked.example')}`) },
    'not_printed',
  ],
  [
    'a site whose robots.txt forbids everything',
    'robots.example',
    { '': contactSite(prints('robots.example'), { pages: { '/robots.txt': 'User-agent: *\nDisallow: /' } }) },
    'not_allowed',
  ],
  [
    'a site whose robots.txt forbids us',
    'robots-for-us.example',
    {
      '': contactSite(prints('robots-for-us.example'), {
        pages: { '/robots.txt': 'User-agent: Mailproof\nDisallow: /\n\nUser-agent: *\nAllow: /' },
      }),
    },
    'not_allowed',
  ],
  [
    'a page that robots.txt forbids',
    'robots-page.example',
    {
      '': contactSite(prints('robots-page.example'), {
        pages: { '/robots.txt': 'User-agent: *\nDisallow: /contact' },
      }),
    },
    'not_printed',
  ],
  [
    'a site whose robots.txt fails',
    'robots-503.example',
    {
      '': contactSite(prints('robots-503.example'), { pages: { '/robots.txt': html('', { status: 503 }) } }),
    },
    'no_answer',
  ],
  [
    'a site whose robots.txt is compressed although we ask for no compression',
    'robots-gzip.example',
    {
      '': contactSite(prints('robots-gzip.example'), {
        pages: {
          '/robots.txt': html('', {
            headers: { 'content-type': 'text/plain', 'content-encoding': 'gzip' },
            body: gzipSync('User-agent: *\nDisallow: /'),
          }),
        },
      }),
    },
    'no_answer',
  ],
  [
    'a page that asks not to be stored',
    'noindex.example',
    { '': contactSite(`<meta name="robots" content="noindex">${prints('noindex.example')}`) },
    'not_printed',
  ],
  [
    'an endless page',
    'endless.example',
    { '': contactSite(html(prints('endless.example').padEnd(50_000), { endlessEveryMs: 0 })) },
    'not_printed',
  ],
  [
    'a page that trickles',
    'trickle.example',
    { '': contactSite(html(prints('trickle.example'), { endlessEveryMs: 500 })) },
    'not_printed',
  ],
  [
    'a slow page',
    'slow.example',
    { '': contactSite(html(prints('slow.example'), { delayMs: 20_000 })) },
    'not_printed',
  ],
  [
    'a huge page',
    'huge.example',
    { '': contactSite(prints('huge.example').padEnd(3_000_000)) },
    'not_printed',
  ],
  [
    'a redirect to an internal address',
    'inside.example',
    {
      '': contactSite(
        { status: 302, headers: { location: 'https://10.0.0.7/' } },
        {
          pages: {
            '/robots.txt': html('', {
              status: 302,
              headers: { location: 'https://intranet.inside.example/robots.txt' },
            }),
          },
        },
      ),
      'intranet.': { address: '10.0.0.7' },
    },
    'no_answer',
  ],
  [
    'another content type',
    'pdf.example',
    { '': contactSite(html(prints('pdf.example'), { headers: { 'content-type': 'application/pdf' } })) },
    'not_printed',
  ],
  [
    'a gzip bomb',
    'bomb.example',
    {
      '': contactSite({
        headers: { 'content-encoding': 'gzip' },
        body: gzipSync(prints('bomb.example').padEnd(50_000_000)),
      }),
    },
    'not_printed',
  ],
  [
    'a redirect that never ends',
    'loop.example',
    { '': contactSite({ status: 302, headers: { location: '/contact' } }) },
    'not_printed',
  ],
];

const other = siteOf('other-company.example', {
  '': contactSite(['elsewhere.example', 'moved.example'].map(domain => prints(domain)).join('')),
});

const team = siteOf('team.example', {
  '': {
    pages: {
      '/': html('<a href="/team">Our team</a>'),
      '/team': html(
        ['ada.lovelace', 'grace.hopper', 'alan.turing', 'ada']
          .map(name => prints('team.example', name))
          .join(''),
      ),
    },
  },
});

const widePages = ['contact', 'impressum', 'team', 'about', 'press'];
const wideSite: WebScript = {
  pages: {
    '/': html(widePages.map(name => `<a href="/${name}">${name}</a>`).join('')),
    ...Object.fromEntries(widePages.map(name => [`/${name}`, html(`<p>This is ${name}.</p>`)])),
  },
};
const wide = [
  siteOf('wide.example', { '': wideSite }),
  siteOf('wide-answers.example', { '': { ...wideSite, wkdDirect: ['ada'], webfinger: 'everybody' } }),
];

/** A domain where every source that is on by default asks all that it may ask. */
const costlyHosts = [
  'mx.costly.example',
  'mx.costly-backup.example',
  'costly.mx.zoho.example',
  'costly-example.mail.protection.outlook.com',
  'mx.costly-more.example',
];
const costly: DomainScript = {
  ...siteOf('costly.example', {
    '': {
      ...wideSite,
      wkdDirect: ['ada'],
      webfinger: 'everybody',
      otherPages: html(widePages.map(name => `<a href="/${name}">${name}</a>`).join(''), { status: 404 }),
    },
  }),
  dns: {
    mx: costlyHosts.map((host, at) => [10 * (at + 1), host] as const),
    openpgpkey: ['ada'],
    smimea: ['ada'],
  },
  hosts: Object.fromEntries(costlyHosts.map(host => [host, catchAllPostfix()])),
};

const knowing: DomainScript = {
  ...siteOf('knows.example', { '': contactSite(prints('knows.example')) }),
  hosts: { 'mx.knows.example': postfix(['ada']) },
};

/** Sites that print ada's address so that it counts. */
const sites: readonly Trap[] = [
  ['a contact page', 'contact.example', { '': contactSite(prints('contact.example')) }, 'on_contact_page'],
  [
    'an imprint that only the page for errors links to',
    'imprint.example',
    {
      '': {
        pages: { '/impressum': html(prints('imprint.example')) },
        otherPages: html('<a href="/impressum">Impressum</a>', { status: 404 }),
      },
    },
    'on_contact_page',
  ],
  [
    'the www host',
    'atwww.example',
    {
      '': { otherPages: { status: 301, headers: { location: 'https://www.atwww.example{path}' } } },
      'www.': contactSite('<p>x</p>', {
        otherPages: html(nav, { status: 404 }),
        pages: { '/contact': html(prints('atwww.example')) },
      }),
    },
    'on_contact_page',
  ],
  [
    'the www host alone',
    'onlywww.example',
    { 'www.': contactSite(prints('onlywww.example')) },
    'on_contact_page',
  ],
  [
    'a page’s data',
    'data.example',
    {
      '': {
        pages: {
          '/': html(
            `<script type="application/ld+json">{"@type":"Organization","email":"ada@data.example"}</script>`,
          ),
        },
      },
    },
    'in_page_data',
  ],
  [
    'security.txt',
    'security.example',
    {
      '': {
        pages: {
          '/': html('<p>Hello</p>'),
          '/.well-known/security.txt':
            'Contact: mailto:ada@security.example\nExpires: 2999-01-01T00:00:00Z\n',
        },
      },
    },
    'in_security_txt',
  ],
  [
    'an expired security.txt',
    'expired.example',
    {
      '': {
        pages: {
          '/': html('<p>Hello</p>'),
          '/.well-known/security.txt': 'Contact: mailto:ada@expired.example\nExpires: 2001-01-01T00:00:00Z\n',
        },
      },
    },
    'on_page',
  ],
  ['the home page', 'home.example', { '': { pages: { '/': html(prints('home.example')) } } }, 'on_page'],
  [
    'a soft 404 next to a real contact page',
    'softbutreal.example',
    { '': contactSite(prints('softbutreal.example'), { otherPages: html(nav) }) },
    'on_contact_page',
  ],
];

/** Longer than a busy machine needs for the session with the mail host. */
const callersTimeMs = 60_000;

let lab: MailLab;

beforeAll(async () => {
  const catalog = [...traps, ...sites].map(([, domain, web]) => siteOf(domain, web));
  lab = await startMailLab({ catalog: [...catalog, other, knowing, team, costly, ...wide] });
});

afterEach(() => lab.resetCounts());

afterAll(() => lab?.close());

async function validate(address: string, settings: Record<string, string> = {}) {
  const { validate: ask, close } = composeValidation(
    loadValidationConfig({
      ...labSettings(lab),
      VALIDATION_HELO_NAME: 'probe.example',
      VALIDATION_DEADLINE_MS: String(callersTimeMs),
      ...settings,
    }),
  );
  const email = parseEmailAddress(address);
  if (!email.ok) {
    throw new Error(email.fault.message);
  }
  try {
    const { verdict, evidence } = await ask(email.value, callersTimeMs, new AbortController().signal);
    const observations = evidence.catchAll?.observations ?? [];
    return {
      result: verdict.result,
      explanation: verdict.details.explanation,
      finding: observations.find(({ source }) => source === 'published_on_site')?.finding,
      posterior: evidence.catchAll?.posterior ?? 0,
    };
  } finally {
    await close();
  }
}

/** On a busy machine, a request can take longer than the four seconds that it gets: then the site is visited again. */
async function validateInTime(address: string, finding: string) {
  let validated = await validate(address);
  for (let tries = 1; tries < 4 && validated.finding === 'no_answer' && finding !== 'no_answer'; tries += 1) {
    validated = await validate(address);
  }
  return validated;
}

describe('an address is no more likely because of', () => {
  it.concurrent.each(traps)('%s', async (_name, domain, _web, finding) => {
    const validated = await validateInTime(`ada@${domain}`, finding);
    expect(validated).toMatchObject({ result: 'catch_all', finding, posterior: expect.closeTo(0.74) });
  });

  it('a page that another company prints it on', async () => {
    // The trap is one: the page is there, and prints the addresses.
    expect(await validate('ada@elsewhere.example')).toMatchObject({ finding: 'not_printed' });
    expect(lab.counts().web['https://other-company.example/contact']).toBeUndefined();
  });
});

describe('an address is found in, and confirmed by all but other pages:', () => {
  it.concurrent.each(sites)('%s', async (_name, domain, _web, finding) => {
    expect(await validateInTime(`ada@${domain}`, finding)).toMatchObject({
      // A page that is none of these counts, and is not enough alone.
      result: finding === 'on_page' ? 'catch_all' : 'catch_all_validated',
      finding,
    });
    expect(await validateInTime(`bob@${domain}`, 'not_printed')).toMatchObject({
      result: 'catch_all',
      finding: 'not_printed',
    });
  });

  it('the page of its team, which is not enough even with the pattern of the others there', async () => {
    expect(await validate('ada.lovelace@team.example')).toMatchObject({
      result: 'catch_all',
      finding: 'on_team_page',
    });
    expect(await validate('ada@team.example')).toMatchObject({
      result: 'catch_all',
      finding: 'on_team_page',
    });
    expect(await validate('radia.perlman@team.example')).toMatchObject({
      result: 'catch_all',
      finding: 'not_printed',
    });
  });

  it('its contact page, in one sentence', async () => {
    const { explanation } = await validate('Ada@contact.example');
    expect(explanation).toContain('The company’s contact page prints this address.');
  });
});

describe('a look', () => {
  const requests = () => Object.values(lab.counts().web).reduce((sum, count) => sum + count, 0);
  const declared = evidenceSources.find(({ id }) => id === 'published_on_site')?.cost;
  const alone = { VALIDATION_EVIDENCE_SOURCES: 'published_on_site' };

  it.each([...sites, ...traps].map(([name, domain]) => [name, domain] as const))(
    'makes no more requests than it declares: %s',
    async (_name, domain) => {
      if (domain === 'slow.example' || domain === 'trickle.example') {
        return;
      }
      await validate(`ada@${domain}`, alone);
      expect(requests()).toBeLessThanOrEqual(declared?.httpsRequests ?? 0);
      const names = Object.entries(lab.counts().dns.byName).flatMap(([name, types]) =>
        name.startsWith('mx.') ? [] : [(types['A'] ?? 0) + (types['AAAA'] ?? 0)],
      );
      expect(names.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(declared?.dnsQuestions ?? 0);
    },
  );

  it.each([
    ['six, if no directory needs a second one', 'wide.example', 6],
    ['four, if both directories say yes', 'wide-answers.example', 4],
  ])('makes so many requests that the address costs eight: %s', async (_name, domain, most) => {
    await validate(`ada@${domain}`);
    const urls = Object.entries(lab.counts().web);
    const pages = urls.filter(([url]) => !url.includes('/.well-known/'));
    expect(pages.reduce((sum, [, count]) => sum + count, 0)).toBe(most);
    expect(requests()).toBe(8);
  });

  it('and all other sources together cost an address six connections, eight requests and 24 DNS queries at most', async () => {
    const startedAtMs = performance.now();
    expect(await validate('ada@costly.example')).toMatchObject({ result: 'catch_all_validated' });
    const { dns, smtp } = lab.counts();
    const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
    const costs = {
      connections: sum(Object.values(smtp).map(({ connections }) => connections)),
      requests: requests(),
      queries: sum(Object.values(dns.byName).flatMap(types => Object.values(types))),
    };
    expect(costs.connections).toBeGreaterThan(3);
    expect(costs.connections).toBeLessThanOrEqual(6);
    expect(costs.requests).toBe(8);
    expect(costs.queries).toBeGreaterThan(15);
    expect(costs.queries).toBeLessThanOrEqual(24);
    expect(performance.now() - startedAtMs).toBeLessThan(25_000);
  });

  it('tells the site nothing about the address', async () => {
    await validate('ada@contact.example', alone);
    const asked = Object.keys(lab.counts().web).map(url => url.replace(/no-such-page-[0-9a-f]{12}$/, '*'));
    expect(asked.sort()).toEqual([
      'https://contact.example/',
      'https://contact.example/*',
      'https://contact.example/contact',
      'https://contact.example/robots.txt',
    ]);
  });

  it('is made only if the operator lets it', async () => {
    const { finding } = await validate('ada@contact.example', {
      VALIDATION_EVIDENCE_SOURCES: 'local_part_pattern',
    });
    expect(finding).toBeUndefined();
    expect(requests()).toBe(0);
  });

  it('is not made where the mail host knows its recipients', async () => {
    expect(await validate('ada@knows.example', alone)).toMatchObject({ finding: undefined });
    expect(requests()).toBe(0);
  });
});
