import { describe, expect, test } from '@jest/globals';
import { amply } from '../testing/fakes.ts';
import { decideCatchAll } from './decide-catch-all.ts';
import { localPartPattern } from './local-part-pattern.ts';
import type { Observation } from './observation.ts';
import { publishedOnSite } from './published-on-site.ts';
import { type PrintPlace, printPlaces } from './site/site-look.ts';
import type { SiteKnowledge, SiteLooks } from './site/site-looks.ts';
import { inquiryAbout, portsOf, stranger } from './testing/fakes.ts';
import { weigh } from './weigh.ts';
import { weights } from './weights.ts';

const email = 'ada.lovelace@a.example';
const read = (place?: PrintPlace, patterns: SiteKnowledge['patterns'] = {}): SiteKnowledge => ({
  kind: 'read',
  patterns,
  ...(place !== undefined && { place }),
});

/** What sites print, by address; others are not printed. */
function sitesThat(known: Readonly<Record<string, SiteKnowledge | undefined>>, others = read()): SiteLooks {
  return {
    about: async ({ normalized }) => (Object.hasOwn(known, normalized) ? known[normalized] : others),
  };
}

async function findingOf(sites: SiteLooks, source = publishedOnSite) {
  const { observations } = await source.gather(portsOf({ sites }).ports, inquiryAbout(email), amply());
  return observations.map(({ finding }) => finding).join();
}

function resultOf(finding: PrintPlace | 'prints_anything', prior = weights.prior) {
  const observation: Observation = { source: 'published_on_site', finding };
  return decideCatchAll(weigh([observation], weights, prior)).result;
}

describe('what a site prints', () => {
  test.each(printPlaces)('is the finding: %s', async place => {
    expect(await findingOf(sitesThat({ [email]: read(place) }))).toBe(place);
  });

  test.each<readonly [SiteKnowledge['kind'], string]>([
    ['read', 'not_printed'],
    ['no_site', 'not_printed'],
    ['forbidden', 'not_allowed'],
    ['prints_anything', 'prints_anything'],
    ['failed', 'no_answer'],
  ])('is unknown or nothing after a look that is %s', async (kind, finding) => {
    expect(await findingOf(sitesThat({}, { kind, patterns: {} }))).toBe(finding);
  });

  test('is no answer if the site was not looked at in time', async () => {
    expect(await findingOf(sitesThat({ [email]: undefined }))).toBe('no_answer');
  });

  test('is nothing if the site prints a made-up address too, or may do so', async () => {
    const madeUp = `${stranger}@a.example`;
    const printed = { [email]: read('on_contact_page') };
    expect(await findingOf(sitesThat({ ...printed, [madeUp]: read('on_page') }))).toBe('prints_anything');
    expect(await findingOf(sitesThat({ ...printed, [madeUp]: undefined }))).toBe('prints_anything');
  });
});

describe('an address on its domain’s own site', () => {
  test.each(printPlaces)(
    'is confirmed at the usual prior by one print on a page that companies keep right: %s',
    place => {
      expect(resultOf(place)).toBe(
        ['on_team_page', 'on_page'].includes(place) ? 'catch_all' : 'catch_all_validated',
      );
    },
  );

  test('is confirmed by the page of the team with a known person', () => {
    const { result } = decideCatchAll(
      weigh(
        [
          { source: 'published_on_site', finding: 'on_team_page' },
          { source: 'known_person', finding: 'fits_pattern', ageDays: 0 },
        ],
        weights,
        weights.prior,
      ),
    );
    expect(result).toBe('catch_all_validated');
  });

  test('is confirmed at a lower prior by a contact page and not by the page of the team', () => {
    expect([resultOf('on_contact_page', 0.5), resultOf('on_team_page', 0.5)]).toEqual([
      'catch_all_validated',
      'catch_all',
    ]);
  });

  test('is not confirmed by a site that prints anything', () => {
    expect(resultOf('prints_anything')).toBe('catch_all');
  });
});

describe('the pattern of printed addresses', () => {
  const patternOf = (patterns: SiteKnowledge['patterns'], place?: PrintPlace) =>
    findingOf(sitesThat({ [email]: read(place, patterns) }), localPartPattern);

  test('is that of others', async () => {
    expect(await patternOf({ 'word.word': 2 })).toBe('match');
    expect(await patternOf({ 'initial.word': 3 })).toBe('mismatch');
    expect(await patternOf({ 'word.word': 1, role: 5 })).toBe('no_pattern');
  });

  test('is not shown by the address itself', async () => {
    expect(await patternOf({ 'word.word': 2 }, 'on_page')).toBe('no_pattern');
    expect(await patternOf({ 'word.word': 3 }, 'on_page')).toBe('match');
  });

  test('alone confirms nothing', () => {
    const observation: Observation = { source: 'local_part_pattern', finding: 'match' };
    expect(decideCatchAll(weigh([observation], weights, 0.99)).result).toBe('catch_all');
  });
});
