import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { catalogFaults } from '@mailproof/mail-lab';
import { confirmedPatterns } from '../../../src/domain/local-parts/domain-patterns.ts';
import { patternClassOf } from '../../../src/domain/outcomes/pattern-class.ts';
import { emailOf } from '../../../src/domain/testing/fakes.ts';
import { decideAgain, measure } from './figures.ts';
import { fullName, localPartOf, makeName, type PersonName } from './names.ts';
import { makeGuessedList, makePopulation } from './population.ts';
import { randomOf } from './random.ts';
import { drawRates, loadRates, offByTwo, patterns, sizes } from './rates.ts';

const rates = loadRates();

describe('the rates', () => {
  test('are off by two in the direction that is asked for', () => {
    const [worse, better] = [offByTwo(rates, 'worse'), offByTwo(rates, 'better')];
    expect(worse.printed.leaverOfLastYear.value).toBeCloseTo(rates.printed.leaverOfLastYear.value * 2);
    expect(worse.peopleStore.knowsStaff.value).toBeCloseTo(rates.peopleStore.knowsStaff.value / 2);
    expect(worse.asked.leaver.value).toBeCloseTo(rates.asked.leaver.value * 2);
    expect(better.printed.leaverOfLastYear.value).toBeCloseTo(rates.printed.leaverOfLastYear.value / 2);
    expect(better.peopleStore.knowsStaff.value).toBe(1);
    expect(worse.people).toEqual(rates.people);
  });

  test('are drawn from their ranges', () => {
    const { value, low, high } = drawRates(rates, randomOf('drawn')).peopleStore.knowsStaff;
    expect(value).toBeGreaterThanOrEqual(low);
    expect(value).toBeLessThanOrEqual(high);
    expect(value).not.toBe(rates.peopleStore.knowsStaff.value);
  });

  test('are refused if one is outside of its range or has no reason', () => {
    const file = join(mkdtempSync(join(tmpdir(), 'rates-')), 'rates.json');
    for (const change of [{ low: 0.9 }, { from: '' }, { value: 2 }]) {
      writeFileSync(
        file,
        JSON.stringify({ ...rates, roles: { exists: { ...rates.roles.exists, ...change } } }),
      );
      expect(() => loadRates(file)).toThrow();
    }
    writeFileSync(
      file,
      JSON.stringify({ ...rates, roles: { exists: { ...rates.roles.exists, value: 0.5 } } }),
    );
    expect(loadRates(file).roles.exists.value).toBe(0.5);
    rmSync(dirname(file), { recursive: true });
  });
});

describe('a local part', () => {
  const name: PersonName = { first: 'Jörg', last: 'Weiß', middleInitial: 'm', country: 'de' };
  const rules = { umlautWithE: true, particleKept: true, doubleSurnameWhole: true };

  test.each([
    ['joerg.weiss', name, rules],
    ['jorg.weiss', name, { ...rules, umlautWithE: false }],
    ['jan.vandenberg', { ...name, first: 'Jan', particle: 'van den', last: 'Berg', country: 'nl' }, rules],
    [
      'jan.berg',
      { ...name, first: 'Jan', particle: 'van den', last: 'Berg' },
      { ...rules, particleKept: false },
    ],
    ['isil.yildiz', { ...name, first: 'Işıl', last: 'Yıldız', country: 'tr' }, rules],
    ['lukasz.krol', { ...name, first: 'Łukasz', last: 'Król', country: 'pl' }, rules],
    [
      'anna.smith-jones',
      { ...name, first: 'Anna', last: 'Smith', secondLast: { name: 'Jones', hyphen: true } },
      rules,
    ],
    [
      'ana.ruiz',
      { ...name, first: 'Ana', last: 'Ruiz', secondLast: { name: 'Gómez', hyphen: false } },
      { ...rules, doubleSurnameWhole: false },
    ],
  ] as const)('%s', (localPart, person, rulesOf) => {
    expect(localPartOf(person, 'first.last', rulesOf)).toBe(localPart);
  });

  test('is in ASCII for every name', () => {
    const random = randomOf('names');
    for (const country of ['us', 'de', 'fr', 'es', 'nl', 'pl', 'se', 'tr'] as const) {
      for (let each = 0; each < 200; each += 1) {
        const person = makeName(country, rates, random);
        expect(localPartOf(person, 'first.last', rules)).toMatch(/^[a-z-]+\.[a-z-]+$/);
        expect(fullName(person)).toMatch(/^\p{Lu}/u);
      }
    }
  });
});

describe('a population', () => {
  const { addresses, catalog, people } = makePopulation(rates, 'unit', 3_000);
  const existing = addresses.filter(({ exists }) => exists);
  const missing = addresses.filter(({ exists }) => !exists);
  const shareOf = (of: typeof addresses, has: (address: (typeof addresses)[number]) => boolean) =>
    of.filter(has).length / of.length;

  test('is one that the lab can play, with as many addresses as were wanted', () => {
    expect(catalogFaults(catalog)).toEqual([]);
    expect(new Set(addresses.map(({ email }) => email)).size).toBe(3_000);
    expect(makePopulation(rates, 'unit', 50).addresses.map(({ email }) => email)).toEqual(
      addresses.slice(0, 50).map(({ email }) => email),
    );
    expect(new Set(people.map(({ profileUrl }) => profileUrl)).size).toBe(people.length);
  });

  test('is as its rates say', () => {
    expect(shareOf(addresses, ({ kind }) => kind === 'staff')).toBeCloseTo(rates.asked.staff.value, 1);
    expect(
      Math.abs(shareOf(addresses, ({ size }) => size === 'large') - rates.shareOfAddresses.large.value),
    ).toBeLessThan(0.15);
    const staff = addresses.filter(({ kind }) => kind === 'staff');
    const { knowsStaff, otherNameForm } = rates.peopleStore;
    expect(shareOf(staff, ({ evidence }) => evidence.knownFull)).toBeCloseTo(
      knowsStaff.value * (1 - otherNameForm.value),
      1,
    );
    expect(shareOf(staff, ({ evidence }) => evidence.knownHalf)).toBeCloseTo(
      knowsStaff.value * (1 - otherNameForm.value) * rates.peopleStore.isHalf.value,
      1,
    );
  });

  test('has false evidence: people who left are printed and known, guesses of known people do not exist', () => {
    expect(missing.some(({ evidence }) => evidence.printed)).toBe(true);
    expect(missing.some(({ kind, evidence }) => kind === 'leaver' && evidence.knownFull)).toBe(true);
    expect(missing.some(({ kind }) => kind === 'permutedGuess')).toBe(true);
    expect(addresses.some(({ kind, exists }) => kind === 'permutedGuess' && exists)).toBe(true);
    expect(missing.some(({ kind }) => kind === 'scraped')).toBe(true);
    expect(shareOf(existing, ({ evidence }) => evidence.printed)).toBeGreaterThan(
      shareOf(missing, ({ evidence }) => evidence.printed),
    );
  });

  test('has sites with traps and inventions, and people who moved', () => {
    const pages = catalog
      .flatMap(({ web }) => Object.values(web ?? {}))
      .flatMap(site => ('pages' in site ? Object.values(site.pages ?? {}) : []))
      .map(page => (typeof page === 'string' ? page : String(page.body ?? '')))
      .join('\n');
    expect(pages).toContain('data-cfemail');
    expect(pages).toContain(' [at] ');
    expect(pages).toContain('class="comments"');
    expect(pages).toContain('display:none');
    expect(people.some(({ hasMoved }) => hasMoved)).toBe(true);
    expect(people.some(({ fullName: name }) => /[ßłşøü]/.test(name))).toBe(true);
  });
});

describe('the name in the row of an address', () => {
  /** The share of existing addresses among those that the name makes by the main pattern, and by another one. */
  const sharesIn = (rows: readonly { readonly exists: boolean; readonly rowName: string | undefined }[]) => {
    const by = Map.groupBy(rows, ({ rowName }) => rowName);
    const shareOf = (name: string) => {
      const of = by.get(name) ?? [];
      return of.filter(({ exists }) => exists).length / of.length;
    };
    return { main: shareOf('by_main_pattern'), other: shareOf('by_other_pattern') };
  };

  test('proves no address, even where the pattern of the company is known (ADR 0084)', () => {
    const { addresses } = makePopulation(rates, 'rows', 4_000);
    const mixed = sharesIn(addresses);
    const guessed = sharesIn(makeGuessedList(rates, 'guesses', 400));
    for (const { main } of [mixed, guessed]) {
      expect(main).toBeGreaterThan(0.4);
      expect(main).toBeLessThan(0.9);
    }
    expect(guessed.other).toBeLessThan(0.5);
  });
});

test.each(sizes)(
  'a %s company whose addresses have one shape has the pattern that any company has (ADR 0084)',
  size => {
    const name: PersonName = { first: 'Grace', last: 'Hopper', middleInitial: 'm', country: 'us' };
    const rules = { umlautWithE: true, particleKept: true, doubleSurnameWhole: true };
    const shapeOf = (pattern: (typeof patterns)[number]) =>
      patternClassOf(emailOf(`${localPartOf(name, pattern, rules)}@a.example`), new Set());
    for (const [shape, alike] of [...Map.groupBy(patterns, shapeOf)].filter(([, of]) => of.length > 1)) {
      const shareOf = (pattern: (typeof patterns)[number]) => rates.patterns[size][pattern].value;
      const all = alike.reduce((sum, pattern) => sum + shareOf(pattern), 0);
      const certain = alike.filter(pattern => shareOf(pattern) / all >= 0.8);
      const confirmed = confirmedPatterns([{ pattern: shape, good: 20, bad: 0 }]);
      expect([shape, alike.filter(pattern => confirmed.has(pattern))]).toEqual([shape, certain]);
    }
  },
);

test.each([
  ['as published', rates],
  ['off by two and better', offByTwo(rates, 'better')],
])(
  'a domain that tells two addresses from made-up ones tells nearly all, with rates %s (ADR 0084)',
  (_, of) => {
    const { addresses } = makePopulation(of, 'told', 6_000);
    const existing = addresses.filter(({ exists }) => exists);
    const byDomain = Map.groupBy(existing, ({ email }) => email.replace(/^.*@/, ''));
    const telling = [...byDomain.values()].filter(
      own => own.filter(({ evidence }) => evidence.told).length >= 2,
    );
    expect(telling.length).toBeGreaterThan(0);
    // What a pattern of the addresses that are told apart could add.
    const others = telling.flat().filter(({ evidence }) => !evidence.told);
    expect(others.length / existing.length).toBeLessThan(0.005);
  },
);

test('figures of nothing are no numbers, and nothing is confirmed without evidence', () => {
  expect(measure([]).precision).toBeNaN();
  expect(decideAgain([], {} as never, () => true)).toEqual([]);
});
