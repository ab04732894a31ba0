import { describe, expect, test } from '@jest/globals';
import { type KnownPeopleMatch, newId } from '@mailproof/shared-types';
import type { NamePattern } from '@mailproof/shared-types/local-parts';
import { deadlineAfter } from '../concurrency/deadline.ts';
import type { PatternTally } from '../outcomes/outcome-store.ts';
import type { PatternClass } from '../outcomes/pattern-class.ts';
import { createStillClock, emailOf } from '../testing/fakes.ts';
import { decideCatchAll } from './decide-catch-all.ts';
import { createOwnPeopleCheck, knownPerson } from './known-person.ts';
import { localPartPattern } from './local-part-pattern.ts';
import type { Observation } from './observation.ts';
import { publishedOnSite } from './published-on-site.ts';
import type { PrintPlace } from './site/site-look.ts';
import type { SiteLooks } from './site/site-looks.ts';
import { inquiryAbout, portsOf } from './testing/fakes.ts';
import { weigh } from './weigh.ts';
import { weights } from './weights.ts';

const asker = newId('account');
const amply = () => deadlineAfter(createStillClock(), 5_000, new AbortController().signal);
const fits = (pattern: NamePattern, people: 'one' | 'several' = 'one', ageDays = 30): KnownPeopleMatch => ({
  current: [{ pattern, people, ageDays }],
  hasLeft: false,
});
const noOne: KnownPeopleMatch = { current: [], hasLeft: false };
const left: KnownPeopleMatch = { current: [], hasLeft: true };
const good = (patternClass: PatternClass, count = 3): PatternTally => ({
  accountId: asker,
  patternClass,
  good: count,
  bad: 0,
});

interface Known {
  readonly match?: KnownPeopleMatch | 'down' | undefined;
  readonly tallies?: readonly PatternTally[];
  /** Where the site prints the address. */
  readonly place?: PrintPlace;
  readonly more?: readonly Observation[];
}

/** Judges an address by the two sources that look at its local part, and by other observations. */
async function judged(address: string, { match = noOne, tallies = [], place, more = [] }: Known) {
  const outcomes = { ofAddress: async () => [], ofDomain: async () => tallies };
  const knownPeople = {
    async match() {
      if (match === 'down') {
        throw new Error('The service is down.');
      }
      return match;
    },
  };
  const sites: SiteLooks = {
    about: async email => ({
      kind: 'read',
      patterns: {},
      ...(place !== undefined && email.normalized === address && { place }),
    }),
  };
  const { ports } = portsOf({ outcomes, knownPeople, sites });
  const inquiry = inquiryAbout(address, { accountId: asker });
  const gathered = await Promise.all(
    [knownPerson, localPartPattern, publishedOnSite].map(source => source.gather(ports, inquiry, amply())),
  );
  const observations = [...gathered.flatMap(each => each.observations), ...more];
  const weighing = weigh(observations, weights, weights.prior);
  return {
    finding: observations.find(({ source }) => source === 'known_person')?.finding,
    posterior: weighing.posterior,
    result: decideCatchAll(weighing).result,
  };
}

const known = { tallies: [good('word.word')] };
/** The strongest finding about the domain's host that says little about the address. */
const hint: Observation = { source: 'differential_reply', finding: 'text_differs' };

describe('a person who is known to work at a catch-all domain', () => {
  const onTeamPage: Observation = { source: 'published_on_site', finding: 'on_team_page' };

  test('confirms the address by the domain’s known pattern, with the page of the team', async () => {
    const match = fits('first.last');
    expect(await judged('ada.lovelace@a.example', { ...known, match, more: [onTeamPage] })).toMatchObject({
      finding: 'fits_pattern',
      result: 'catch_all_validated',
    });
  });

  test('supports it alone, and less the older the record is', async () => {
    const at = (ageDays: number) =>
      judged('ada.lovelace@a.example', { ...known, match: fits('first.last', 'one', ageDays) });
    const [fresh, old, unknown] = [await at(0), await at(360), await judged('ada.lovelace@a.example', known)];
    expect(fresh).toMatchObject({ finding: 'fits_pattern', result: 'catch_all' });
    expect(fresh.posterior).toBeGreaterThan(0.9);
    expect(old.posterior).toBeLessThan(fresh.posterior);
    expect(unknown.posterior).toBeLessThan(old.posterior);
  });

  test.each<readonly [string, string, string, Known]>([
    ['without a known pattern', 'fits_name', 'ada.lovelace', { match: fits('first.last'), more: [hint] }],
    [
      'by a pattern of which one address is known',
      'fits_name',
      'ada.lovelace',
      { match: fits('first.last'), tallies: [good('word.word', 1)], more: [hint] },
    ],
    [
      'by a shape that several patterns have',
      'fits_name',
      'alovelace',
      { match: fits('flast'), tallies: [good('word', 20)], more: [hint] },
    ],
    [
      'by another pattern than the known one',
      'other_pattern',
      'alovelace',
      { ...known, match: fits('flast') },
    ],
    [
      'as one of a namesake pair',
      'namesakes_fit_pattern',
      'anna.meier',
      { ...known, match: fits('first.last', 'several') },
    ],
    [
      'of a namesake pair, with a number',
      'namesakes_fit_pattern',
      'anna.meier2',
      { ...known, match: fits('first.last', 'several') },
    ],
    ['who left', 'has_left', 'ada.lovelace', { ...known, match: left }],
    ['who is suppressed, and so unknown', 'no_one_known', 'ada.lovelace', known],
    ['of a company with a similar domain, and so unknown', 'no_one_known', 'ada.lovelace', known],
    ['by a nickname of one letter', 'not_a_name', 'a', { ...known, match: fits('first') }],
    ['by a nickname of two letters', 'not_a_name', 'al', { ...known, match: fits('first') }],
    ['whose name is that of a role', 'not_a_name', 'info', { ...known, match: fits('last') }],
    ['for random letters', 'no_one_known', 'xkcdqzpw', { tallies: [good('word')] }],
    ['for random letters and digits', 'not_a_name', 'a1b2c3d4', known],
    ['if enrichment is down', 'no_answer', 'ada.lovelace', { ...known, match: 'down' }],
  ])('does not confirm the address %s', async (_name, finding, localPart, given) => {
    expect(await judged(`${localPart}@a.example`, given)).toMatchObject({ finding, result: 'catch_all' });
  });

  test('does not count against an address that the company prints, by another pattern', async () => {
    const printed = { ...known, match: fits('flast'), place: 'on_contact_page' } as const;
    expect(await judged('alovelace@a.example', printed)).toMatchObject({
      finding: 'fits_name',
      result: 'catch_all_validated',
    });
    expect(await judged('alovelace@a.example', { ...printed, place: 'on_team_page' })).toMatchObject({
      finding: 'other_pattern',
      result: 'catch_all',
    });
  });

  test('fits by name alone if a source writes the name in the other order', async () => {
    const match = fits('last.first');
    expect(await judged('ada.lovelace@a.example', { ...known, match })).toMatchObject({
      finding: 'fits_name',
      result: 'catch_all',
    });
  });

  test('counts against the address if only those who left fit', async () => {
    const { posterior } = await judged('ada.lovelace@a.example', { match: left });
    expect(posterior).toBeLessThan(0.4);
  });

  test('needs a pattern that the account itself has seen, or two others', async () => {
    const [bob, eve] = [newId('account'), newId('account')];
    const of = (accountId: typeof bob) => ({ ...good('word.word'), accountId });
    const match = fits('first.last');
    expect((await judged('ada.lovelace@a.example', { match, tallies: [of(bob)] })).finding).toBe('fits_name');
    const both = { match, tallies: [of(bob), of(eve)] };
    expect((await judged('ada.lovelace@a.example', both)).finding).toBe('fits_pattern');
  });

  test('is no source where no service can be asked', async () => {
    const { ports } = portsOf({});
    const { observations } = await knownPerson.gather(ports, inquiryAbout('ada.lovelace@a.example'), amply());
    expect(observations).toEqual([]);
  });
});

describe('people whom the asking account has imported', () => {
  const match = async (_domain: string, _localPart: string, _deadline: unknown, accountId?: unknown) =>
    accountId === asker ? { ...fits('first.last'), restsOnOwnPeople: true as const } : noOne;

  test('count for this account, and mark what rests on them', async () => {
    const { ports } = portsOf({ knownPeople: { match } });
    const gathered = await knownPerson.gather(
      ports,
      inquiryAbout('ada.lovelace@a.example', { accountId: asker }),
      amply(),
    );
    expect(gathered).toMatchObject({ observations: [{ finding: 'fits_name' }], restsOnOwnPeople: true });
    const ofOther = inquiryAbout('ada.lovelace@a.example', { accountId: newId('account') });
    const others = await knownPerson.gather(ports, ofOther, amply());
    expect(others.observations).toMatchObject([{ finding: 'no_one_known' }]);
    expect(others.restsOnOwnPeople).toBeUndefined();
  });

  test('are asked about only where a name can make the address', async () => {
    const asked: string[] = [];
    const counting = (...question: Parameters<typeof match>) => {
      asked.push(question[1]);
      return match(...question);
    };
    const roles = new Set(['info']);
    const count = createOwnPeopleCheck({
      knownPeople: { match: counting },
      roles,
      clock: createStillClock(),
    });
    const answers = ['ada.lovelace@a.example', 'info@a.example', 'a1b2c3@a.example', 'ada@[192.0.2.1]'].map(
      address => count(asker, emailOf(address), 1_000, new AbortController().signal),
    );
    expect(await Promise.all(answers)).toEqual([true, false, false, false]);
    expect(asked).toEqual(['ada.lovelace']);
    const ada = emailOf('ada.lovelace@a.example');
    expect(await count(newId('account'), ada, 1_000, new AbortController().signal)).toBe(false);
  });

  test('are unknown if no service answers in time', async () => {
    const clock = createStillClock();
    const never = { match: () => new Promise<never>(() => undefined) };
    const down = { match: () => Promise.reject(new Error('The service is down.')) };
    for (const knownPeople of [never, down]) {
      const count = createOwnPeopleCheck({ knownPeople, roles: new Set(), clock });
      const signal = new AbortController().signal;
      expect(await count(asker, emailOf('ada.lovelace@a.example'), 20, signal)).toBeUndefined();
    }
  });
});
