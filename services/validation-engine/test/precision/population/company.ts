import { localPartOf, makeName, type NameRules, otherForm, type PersonName } from './names.ts';
import { between, pick, pickWeighted, type Random, someOf } from './random.ts';
import { type Pattern, type Provider, patterns, providers, type Rates, type Size } from './rates.ts';

export interface Person {
  readonly name: PersonName;
  readonly localPart: string;
  /** How many years ago the person left; undefined for staff. */
  readonly leftYearsAgo?: number;
}

/** What a people store says about the staff of a company. */
export interface StoreEntry {
  readonly name: PersonName;
  /** Whether the entry is in a store that knows only half of the people. */
  readonly isInHalf: boolean;
  /** The person’s address, if the entry is right about the name, whether or not the person left. */
  readonly localPart?: string;
  /** The store learned that the person works elsewhere now. */
  readonly hasMoved: boolean;
}

/** A company, its people and its mailboxes. */
export interface Company {
  readonly domain: string;
  readonly size: Size;
  readonly provider: Provider;
  readonly pattern: Pattern;
  readonly rules: NameRules;
  readonly staff: readonly Person[];
  readonly leavers: readonly Person[];
  /** People whom the store counts among the staff although they never were. */
  readonly strangers: readonly PersonName[];
  readonly roles: readonly string[];
  /** Every local part that has a mailbox, in lower case. */
  readonly mailboxes: ReadonlySet<string>;
  readonly store: readonly StoreEntry[];
}

export const roleNames = [
  'info',
  'contact',
  'sales',
  'support',
  'office',
  'hr',
  'jobs',
  'press',
  'marketing',
  'billing',
  'accounts',
  'admin',
  'service',
  'hello',
] as const;

export function capitalized<Name extends string>(name: Name): Capitalize<Name> {
  return (name.charAt(0).toUpperCase() + name.slice(1)) as Capitalize<Name>;
}

export function makeCompany(domain: string, size: Size, rates: Rates, random: Random): Company {
  const { patternUse, people } = rates;
  const provider = pickWeighted(
    Object.fromEntries(providers.map(name => [name, rates.providers[name]])) as Rates['providers'],
    random,
  );
  const country = pickWeighted(rates.countries, random);
  const pattern = pickWeighted(rates.patterns[size], random);
  const hasSecond = random() < patternUse[`secondPattern${capitalized(size)}`].value;
  const second = hasSecond ? pickWeighted(rates.patterns[size], random) : pattern;
  const rules: NameRules = {
    umlautWithE: random() < patternUse.umlautWithE.value,
    particleKept: random() < patternUse.particleKept.value,
    doubleSurnameWhole: random() < patternUse.doubleSurnameWhole.value,
  };
  const mailboxes = new Set(roleNames.filter(() => random() < rates.roles.exists.value) as string[]);
  const roles = [...mailboxes];
  // Most of a company’s people are from its country.
  const newName = () =>
    makeName(random() < 0.85 ? country : pickWeighted(rates.countries, random), rates, random);
  const newLocalPart = (name: PersonName) => {
    const used = random() < patternUse.staffOnSecondPattern.value ? second : pattern;
    const isException = random() < patternUse.exception.value;
    const owned = isException ? otherForm(name, rates, random) : name;
    const wanted = localPartOf(owned, isException ? pick(patterns, random) : used, rules);
    return freeOf(wanted, name, mailboxes, random() < patternUse.namesakeGetsNumber.value);
  };

  const headcount = between(rates.staff[size], random);
  const leavers: Person[] = [];
  for (const year of [2, 1, 0]) {
    const left = Math.round(headcount * people.leaveInAYear.value + random() - 0.5);
    for (let each = 0; each < left; each += 1) {
      const name = newName();
      leavers.push({ name, localPart: newLocalPart(name), leftYearsAgo: year + random() });
    }
  }
  const kept = leavers.filter(
    ({ leftYearsAgo = 0 }) =>
      random() < (leftYearsAgo < 1 ? people.mailboxKeptFirstYear : people.mailboxKeptLater).value,
  );
  for (const { localPart } of kept) {
    mailboxes.add(localPart);
  }
  const staff = Array.from({ length: headcount }, () => {
    const name = newName();
    const localPart = newLocalPart(name);
    mailboxes.add(localPart);
    return { name, localPart };
  });
  if (random() < patternUse.aliasInOtherPattern.value) {
    const alias: Pattern = pattern === 'first.last' ? 'flast' : 'first.last';
    for (const { name } of staff) {
      mailboxes.add(localPartOf(name, alias, rules));
    }
  }
  const strangers = someOf(staff, rates.peopleStore.neverWorkedThere.value, random).map(newName);
  const store = storeOf(staff, leavers, strangers, rates, random);
  return { domain, size, provider, pattern, rules, staff, leavers, strangers, roles, mailboxes, store };
}

/** The first form of a local part that is free: a namesake gets a number or an initial. */
function freeOf(wanted: string, name: PersonName, taken: ReadonlySet<string>, byNumber: boolean): string {
  if (!taken.has(wanted)) {
    return wanted;
  }
  const withInitial = wanted.includes('.')
    ? wanted.replace('.', `.${name.middleInitial}.`)
    : `${wanted}${name.middleInitial}`;
  if (!byNumber && !taken.has(withInitial)) {
    return withInitial;
  }
  let number = 2;
  while (taken.has(`${wanted}${number}`)) {
    number += 1;
  }
  return `${wanted}${number}`;
}

function storeOf(
  staff: readonly Person[],
  leavers: readonly Person[],
  strangers: readonly PersonName[],
  rates: Rates,
  random: Random,
): StoreEntry[] {
  const { peopleStore } = rates;
  const knownLeavers = someOf(leavers, peopleStore.knewLeaver.value, random);
  const moved = new Set(
    knownLeavers.filter(
      ({ leftYearsAgo = 0 }) =>
        random() >=
        (leftYearsAgo < 1
          ? peopleStore.leaverOfLastYearStillListed
          : peopleStore.leaverOfEarlierYearsStillListed
        ).value,
    ),
  );
  const known = [...someOf(staff, peopleStore.knowsStaff.value, random), ...knownLeavers];
  const entry = (name: PersonName, localPart?: string, hasMoved = false): StoreEntry => ({
    name,
    isInHalf: random() < peopleStore.isHalf.value,
    hasMoved,
    ...(localPart !== undefined && { localPart }),
  });
  return [
    ...known.map(person =>
      random() < peopleStore.otherNameForm.value
        ? entry(otherForm(person.name, rates, random), undefined, moved.has(person))
        : entry(person.name, person.localPart, moved.has(person)),
    ),
    ...strangers.map(name => entry(name)),
  ];
}
