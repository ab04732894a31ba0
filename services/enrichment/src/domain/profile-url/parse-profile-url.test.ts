import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseProfileUrl } from './parse-profile-url.ts';
import { profileNetworks } from './profile-networks.ts';

describe('a profile URL', () => {
  it.each([
    ['https://www.linkedin.com/in/ada-lovelace', 'linkedin.com/in/ada-lovelace', 'person'],
    ['http://linkedin.com/in/ada-lovelace/', 'linkedin.com/in/ada-lovelace', 'person'],
    ['linkedin.com/in/ada-lovelace', 'linkedin.com/in/ada-lovelace', 'person'],
    ['//linkedin.com/in/ada-lovelace', 'linkedin.com/in/ada-lovelace', 'person'],
    ['  https://linkedin.com/in/ada-lovelace  ', 'linkedin.com/in/ada-lovelace', 'person'],
    ['HTTPS://DE.LinkedIn.COM/IN/Ada-Lovelace', 'linkedin.com/in/ada-lovelace', 'person'],
    ['https://pt-br.linkedin.com/in/ada-lovelace', 'linkedin.com/in/ada-lovelace', 'person'],
    ['https://m.linkedin.com/mwlite/in/ada-lovelace', 'linkedin.com/in/ada-lovelace', 'person'],
    ['https://www.linkedin.com:443/in/ada-lovelace', 'linkedin.com/in/ada-lovelace', 'person'],
    ['linkedin.com:443/in/ada-lovelace', 'linkedin.com/in/ada-lovelace', 'person'],
    ['https://linkedin.com./in/ada-lovelace', 'linkedin.com/in/ada-lovelace', 'person'],
    ['https://www.linkedin.com//in//ada-lovelace//', 'linkedin.com/in/ada-lovelace', 'person'],
    ['https://www.linkedin.com/in/%61da%2Dlovelace', 'linkedin.com/in/ada-lovelace', 'person'],
    ['https://www.linkedin.com/in/ada-lovelace/de', 'linkedin.com/in/ada-lovelace', 'person'],
    [
      'https://www.linkedin.com/in/ada-lovelace/details/experience/',
      'linkedin.com/in/ada-lovelace',
      'person',
    ],
    [
      'https://www.linkedin.com/in/ada-lovelace?trk=x&originalSubdomain=de#about',
      'linkedin.com/in/ada-lovelace',
      'person',
    ],
    ['https://www.linkedin.com/in/JOS%C3%89-GARC%C3%8DA', 'linkedin.com/in/jos%C3%A9-garc%C3%ADa', 'person'],
    [
      'https://www.linkedin.com/in/jose\u0301-garci\u0301a',
      'linkedin.com/in/jos%C3%A9-garc%C3%ADa',
      'person',
    ],
    [
      'https://www.linkedin.com/in/ACoAABcDeFgHiJkLmNoPqRsTuVwXyZ',
      'linkedin.com/in/ACoAABcDeFgHiJkLmNoPqRsTuVwXyZ',
      'person',
    ],
    ['https://www.linkedin.com/comm/in/Ada-Lovelace?midToken=x', 'linkedin.com/in/ada-lovelace', 'person'],
    [
      'https://www.linkedin.com/sales/lead/ACwAABcDeFgHiJkLmNoPqRsTuVwXyZ,NAME_SEARCH,a-B1',
      'linkedin.com/in/ACwAABcDeFgHiJkLmNoPqRsTuVwXyZ',
      'person',
    ],
    [
      'https://www.linkedin.com/sales/people/ACwAABcDeFgHiJkLmNoPqRsTuVwXyZ',
      'linkedin.com/in/ACwAABcDeFgHiJkLmNoPqRsTuVwXyZ',
      'person',
    ],
    ['https://www.linkedin.com/sales/company/1234', 'linkedin.com/company/1234', 'organisation'],
    ['https://www.linkedin.com/sales/accounts/1234', 'linkedin.com/company/1234', 'organisation'],
    [
      'https://www.linkedin.com/talent/profile/ACwAABcDeFgHiJkLmNoPqRsTuVwXyZ',
      'linkedin.com/in/ACwAABcDeFgHiJkLmNoPqRsTuVwXyZ',
      'person',
    ],
    ['https://bsky.app/profile/ada.bsky.social', 'bsky.app/profile/ada.bsky.social', undefined],
    [
      'https://bsky.app/profile/did:plc:z72i7hdynmk6r22z27h6tvur',
      'bsky.app/profile/did%3Aplc%3Az72i7hdynmk6r22z27h6tvur',
      undefined,
    ],
    ['https://mastodon.social/@Ada', 'mastodon.social/%40Ada', undefined],
    ['https://hachyderm.io/@ada/with_replies', 'hachyderm.io/%40ada', undefined],
    ['https://www.threads.net/@ada?xmt=1', 'threads.com/%40ada', undefined],
    ['https://www.instagram.com/ada.l/reels/?hl=de', 'instagram.com/ada.l', undefined],
    ['https://www.linkedin.com/company-beta/1234/', 'linkedin.com/company/1234', 'organisation'],
    ['<https://www.linkedin.com/in/ada-lovelace>', 'linkedin.com/in/ada-lovelace', 'person'],
    ['(linkedin.com/in/ada-lovelace).', 'linkedin.com/in/ada-lovelace', 'person'],
    ['https://www.linkedin.com/in/ada-lovelace,', 'linkedin.com/in/ada-lovelace', 'person'],
    ['https://www.linkedin.com/in/ada-lovelace.?trk=x', 'linkedin.com/in/ada-lovelace', 'person'],
    ['https://uk.linkedin.com/pub/ada-lovelace/1/2A/3b4', 'linkedin.com/pub/ada-lovelace/1/2a/3b4', 'person'],
    [
      'https://www.linkedin.com/company/Analytical-Engines/about/',
      'linkedin.com/company/analytical-engines',
      'organisation',
    ],
    [
      'https://www.linkedin.com/school/university-of-london',
      'linkedin.com/school/university-of-london',
      'organisation',
    ],
    ['https://www.linkedin.com/showcase/engines', 'linkedin.com/showcase/engines', 'organisation'],
    ['https://www.xing.com/profile/Ada_Lovelace2/cv', 'xing.com/profile/ada_lovelace2', 'person'],
    ['https://www.xing.com/companies/engines', 'xing.com/pages/engines', 'organisation'],
    ['https://github.com/Ada', 'github.com/ada', undefined],
    ['https://github.com/orgs/Engines/people', 'github.com/engines', undefined],
    ['https://gitlab.com/ada', 'gitlab.com/ada', undefined],
    ['https://www.crunchbase.com/person/ada-lovelace', 'crunchbase.com/person/ada-lovelace', 'person'],
    [
      'https://www.crunchbase.com/organization/engines/people',
      'crunchbase.com/organization/engines',
      'organisation',
    ],
    ['https://mobile.twitter.com/Ada?lang=en', 'x.com/ada', undefined],
    ['https://x.com/ada/with_replies', 'x.com/ada', undefined],
    ['https://de-de.facebook.com/ada.love.lace', 'facebook.com/adalovelace', undefined],
    ['https://www.facebook.com/profile.php?id=100001&sk=about', 'facebook.com/100001', undefined],
    ['https://fb.com/people/Ada-Lovelace/100001/', 'facebook.com/100001', undefined],
    ['https://angel.co/u/ada', 'wellfound.com/u/ada', 'person'],
    ['https://wellfound.com/company/engines/jobs', 'wellfound.com/company/engines', 'organisation'],
    ['https://orcid.org/0000-0002-1694-233x', 'orcid.org/0000-0002-1694-233X', 'person'],
    [
      'https://www.researchgate.net/profile/Ada-Lovelace/research',
      'researchgate.net/profile/ada-lovelace',
      'person',
    ],
    [
      'https://scholar.google.com/citations?hl=en&user=AbCdEfGAAAAJ',
      'scholar.google.com/citations?user=AbCdEfGAAAAJ',
      'person',
    ],
    ['https://stackoverflow.com/users/1815/ada', 'stackoverflow.com/users/1815', 'person'],
    ['https://www.behance.net/ada/projects', 'behance.net/ada', undefined],
    ['http://www.wikidata.org/entity/q7259', 'wikidata.org/wiki/Q7259', undefined],
    ['https://theorg.com/org/engines', 'theorg.com/org/engines', 'organisation'],
  ])('%s is %s', (text, profileKey, kind) => {
    expect(parseProfileUrl(text)).toMatchObject({ profileKey, network: expect.any(String) });
    expect(parseProfileUrl(text)?.kind).toBe(kind);
  });

  it.each([
    [
      'https://www.people.example/Ada?utm_source=x&b=2&a=1#top',
      'people.example/Ada?a=1&b=2',
      'https://www.people.example/Ada?a=1&b=2',
    ],
    ['http://people.example/', 'people.example', 'https://people.example'],
    ['https://people.example:8443/ada/', 'people.example:8443/ada', 'https://people.example:8443/ada'],
    [
      'https://bücher.example/über',
      'xn--bcher-kva.example/%C3%BCber',
      'https://xn--bcher-kva.example/%C3%BCber',
    ],
    [
      'https://people.example/a/../ada/%7Elovelace',
      'people.example/ada/~lovelace',
      'https://people.example/ada/~lovelace',
    ],
    // Hosts that only look like a network's are ordinary pages: they have no known form.
    [
      'https://linkedin.com.evil.example/in/ada',
      'linkedin.com.evil.example/in/ada',
      'https://linkedin.com.evil.example/in/ada',
    ],
    ['https://notlinkedin.com/in/ada', 'notlinkedin.com/in/ada', 'https://notlinkedin.com/in/ada'],
    ['https://lınkedin.com/in/ada', 'xn--lnkedin-rfb.com/in/ada', 'https://xn--lnkedin-rfb.com/in/ada'],
    ['https://evil.linkedin.com/in/ada', 'evil.linkedin.com/in/ada', 'https://evil.linkedin.com/in/ada'],
  ])('of no documented form, %s is %s', (text, profileKey, profileUrl) => {
    expect(parseProfileUrl(text)).toEqual({ profileKey, profileUrl });
  });

  it.each([
    '',
    ' ',
    'ada',
    'ada lovelace',
    'ada@people.example',
    'javascript:alert(1)',
    'javascript://linkedin.com/in/ada%0Aalert(1)',
    'data:text/html,linkedin.com/in/ada',
    'file:///etc/passwd',
    'ftp://linkedin.com/in/ada',
    'mailto:ada@people.example',
    'https:linkedin.com/in/ada',
    'https:///linkedin.com/in/ada',
    'https://',
    'https://linkedin.com@evil.example/in/ada',
    'https://user:secret@linkedin.com/in/ada',
    'https:\\\\linkedin.com\\in\\ada',
    'https://linkedin.com/in/ada\0',
    'https://linkedin.com/in/ada%00',
    'https://linkedin.com/in/ada%0d%0ax',
    'https://linkedin.com/in/ada\r\nHost: evil.example',
    'https://linked\tin.com/in/ada',
    'https://linkedin.com/in/ada%2f..%2fbob',
    'https://linkedin.com/in/%ff',
    'https://linkedin.com/in/%',
    'https://linkedin.com/in/ada%2525',
    'https://linkedin.com/in/../company',
    'https://linkedin.com/in/',
    'https://linkedin.com/',
    'https://linkedin.com/jobs/view/1',
    'https://linkedin.com/pub/dir/ada/lovelace',
    'https://linkedin.com:8443/in/ada',
    'https://www.www.linkedin.com/in/ada',
    'https://github.com/ada/engine',
    'https://github.com/features',
    'https://github.com/-ada',
    'https://x.com/ada/status/1',
    'https://x.com/home',
    'https://bsky.app/profile/ada.bsky.social/post/3k',
    'https://mastodon.social/@ada/109',
    'https://www.threads.com/@ada/post/abc',
    'https://www.instagram.com/p/Cabc/',
    'https://www.facebook.com/profile.php',
    'https://orcid.org/0000-0002-1694-2330',
    'https://theorg.com/org/engines/org-chart/ada',
    'https://127.0.0.1/in/ada',
    'https://2130706433/in/ada',
    'https://0x7f.1/in/ada',
    'https://0177.0.0.1/in/ada',
    'https://[::1]/in/ada',
    'https://[::ffff:127.0.0.1]/in/ada',
    'https://localhost/in/ada',
    'https://people..example/ada',
    `https://linkedin.com/in/${'a'.repeat(101)}`,
    `https://people.example/${'a'.repeat(2_048)}`,
    `https://people.example/${'ü'.repeat(1_000)}`,
    `https://${'a.'.repeat(130)}example/ada`,
  ])('%j is none', text => {
    expect(parseProfileUrl(text)).toBeUndefined();
  });

  it('keeps a bracket that is part of a pair', () => {
    expect(parseProfileUrl('https://acme.test/Ada_(engineer)')?.profileKey).toBe('acme.test/Ada_(engineer)');
  });

  it('reads its own key and its own canonical URL as the same profile', () => {
    const network = fc.constantFrom(...profileNetworks);
    const written = fc
      .tuple(
        network,
        fc.nat(5),
        fc.constantFrom('', 'https://', 'HTTP://', '//'),
        fc.constantFrom('', 'www.', 'm.', 'de.'),
        fc.oneof(
          fc.string({ unit: 'binary', maxLength: 40 }),
          fc.stringMatching(/^[\w.-]{1,30}$/),
          fc.webPath(),
        ),
        fc.webQueryParameters(),
      )
      .map(([{ hosts, forms }, turn, scheme, subdomain, handle, query]) => {
        const { form } = forms[turn % forms.length] ?? { form: '' };
        const path = form.slice(form.indexOf('/')).replace('{handle}', handle).replace('{name}', 'a');
        return `${scheme}${subdomain}${hosts[turn % hosts.length]}${path}${path.includes('?') ? '&' : '?'}${query}`;
      });
    const anything = fc.oneof(
      written,
      fc.webUrl({ withQueryParameters: true, withFragments: true, validSchemes: ['http', 'https'] }),
      fc.string(),
    );
    let read = 0;
    fc.assert(
      fc.property(anything, text => {
        const first = parseProfileUrl(text);
        if (first === undefined) {
          return;
        }
        read += 1;
        const { profileKey, profileUrl } = first;
        expect(parseProfileUrl(profileUrl)).toMatchObject({ profileKey, profileUrl });
        expect(parseProfileUrl(profileKey)?.profileKey).toBe(profileKey);
        expect(profileKey).toMatch(/^[\x21-\x7e]+$/);
      }),
      { numRuns: 3_000 },
    );
    expect(read).toBeGreaterThan(500);
  });
});
