import { isDeepStrictEqual } from 'node:util';
import type { AccountId, KnownPeopleMatch } from '@mailproof/shared-types';
import {
  keysOfCandidate,
  keysOfName,
  type NameCandidate,
  type NamePattern,
  patternsMaking,
  readCandidate,
  spellName,
  type WrittenName,
} from '@mailproof/shared-types/local-parts';

/** A person who works at a company, or has worked there. */
export interface KnownPerson extends WrittenName {
  /** The store and an account can both have a person. */
  readonly profileKey: string;
  readonly worksThere: boolean;
  /** How long ago a source said where the person works. */
  readonly ageDays: number;
}

/** What is known about the people who work at a domain, and how local parts fit their names. */
export interface KnownPeople {
  /** Those of the store, counted up to a limit. */
  readonly knownPeople: number;
  /** A match for each local part, in their order. */
  readonly matches: KnownPeopleMatch[];
}

/** With an account, the people whom it has imported count too. */
export type MatchKnownPeople = (
  domain: string,
  localParts: readonly string[],
  accountId?: AccountId,
) => Promise<KnownPeople>;

/** Keeps the keys by which people are found. */
export interface NameKeyWriter {
  /** Writes the keys of the next changed people, and returns how many there were. */
  writeNext(): Promise<number>;
}

/** Finds people of one company by keys of their names. */
export interface PeopleOfCompany {
  /** What the keys belong to: see `scopeOfCompany` and `scopeOfAccount`. */
  readonly scope: string;
  /** Undefined if more people than the limit have one of the keys. */
  findByKeys(keys: readonly number[]): Promise<readonly KnownPerson[] | undefined>;
}

/** An exact age would help to tell which person fits. */
const ageStepDays = 30;
const noMatch: KnownPeopleMatch = { current: [], hasLeft: false };

/**
 * Matches local parts with the people of a company: those of the store, and an account's own.
 *
 * @param store undefined if the store does not have the company
 * @param own undefined if no account asks
 */
export async function matchLocalParts(
  store: PeopleOfCompany | undefined,
  own: PeopleOfCompany | undefined,
  localParts: readonly string[],
): Promise<KnownPeopleMatch[]> {
  const [ofStore, ofAccount] = await Promise.all([
    findCandidates(store, localParts),
    findCandidates(own, localParts),
  ]);
  return localParts.map((localPart, index) => {
    const candidate = readCandidate(localPart);
    const [shared, others] = [ofStore[index], ofAccount[index] ?? []];
    if (candidate === undefined || shared === undefined) {
      return noMatch;
    }
    const match = matchOne(candidate, shared);
    const withOwn = others.length === 0 ? match : matchOne(candidate, latestRecords(shared, others));
    return isDeepStrictEqual(withOwn, match) ? match : { ...withOwn, restsOnOwnPeople: true };
  });
}

/** One record of each person: the latest, and the account's if the store's is not more recent. */
function latestRecords(store: PeopleFound, own: PeopleFound): PeopleFound {
  const latest = new Map<string, SpelledPerson>();
  for (const person of [...store, ...own]) {
    const known = latest.get(person.profileKey);
    if (known === undefined || person.ageDays <= known.ageDays) {
      latest.set(person.profileKey, person);
    }
  }
  return [...latest.values()];
}

type PeopleFound = readonly SpelledPerson[];

/**
 * Finds the people whose names may make each of the local parts. If too many people have one of the keys, fewer local
 * parts are looked up at once; a single one that still fits too many tells no one apart and is undefined.
 */
async function findCandidates(
  people: PeopleOfCompany | undefined,
  localParts: readonly string[],
): Promise<(PeopleFound | undefined)[]> {
  if (people === undefined) {
    return localParts.map(() => []);
  }
  const candidates = localParts.map(readCandidate);
  const keys = candidates.flatMap(candidate =>
    candidate === undefined ? [] : [...keysOfCandidate(candidate)],
  );
  const found =
    keys.length === 0
      ? []
      : await people.findByKeys([...new Set(keys.map(key => hashKey(people.scope, key)))]);
  if (found !== undefined) {
    const byKey = byKeys(found);
    return candidates.map(candidate => (candidate === undefined ? [] : havingKeysOf(candidate, byKey)));
  }
  if (localParts.length === 1) {
    return [undefined];
  }
  const middle = Math.ceil(localParts.length / 2);
  return [
    ...(await findCandidates(people, localParts.slice(0, middle))),
    ...(await findCandidates(people, localParts.slice(middle))),
  ];
}

interface SpelledPerson extends KnownPerson {
  readonly spellings: ReturnType<typeof spellName>;
}

type PeopleByKey = ReadonlyMap<string, PeopleFound>;

/** Each local part is compared only with people who have one of its keys. */
function byKeys(people: readonly KnownPerson[]): PeopleByKey {
  const byKey = new Map<string, SpelledPerson[]>();
  for (const person of people) {
    const spelled = { ...person, spellings: spellName(person) };
    for (const key of keysOfName(spelled.spellings)) {
      const known = byKey.get(key);
      if (known) known.push(spelled);
      else byKey.set(key, [spelled]);
    }
  }
  return byKey;
}

function havingKeysOf(candidate: NameCandidate, byKey: PeopleByKey): PeopleFound {
  return [...new Set([...keysOfCandidate(candidate)].flatMap(key => byKey.get(key) ?? []))];
}

function matchOne(candidate: NameCandidate, people: PeopleFound): KnownPeopleMatch {
  const ages = new Map<NamePattern, number[]>();
  let hasLeft = false;
  for (const { worksThere, ageDays, spellings } of people) {
    for (const pattern of patternsMaking(candidate, spellings)) {
      if (worksThere) {
        ages.set(pattern, [...(ages.get(pattern) ?? []), ageDays]);
      } else {
        hasLeft = true;
      }
    }
  }
  const current = [...ages]
    // A number is given to the second person of a name.
    .filter(([, of]) => !candidate.isNumbered || of.length > 1)
    .map(([pattern, of]) => ({
      pattern,
      people: of.length === 1 ? ('one' as const) : ('several' as const),
      ageDays: Math.ceil(Math.min(...of) / ageStepDays) * ageStepDays,
    }));
  return { current, hasLeft: hasLeft && ages.size === 0 };
}

/** Increase this when the spellings or keys of names change: all people then get keys by the new rules. */
export const nameKeyRules = 1;

/** The keys under which a person is found in each of the scopes. */
export function nameKeysOf(name: WrittenName, scopes: readonly string[]): number[] {
  const keys = [...keysOfName(spellName(name))];
  return [...new Set(scopes.flatMap(scope => keys.map(key => hashKey(scope, key))))];
}

/** @param companyNo the company in the store */
export function scopeOfCompany(companyNo: number): string {
  return String(companyNo);
}

/** The people of an account at the company with a domain. */
export function scopeOfAccount(accountId: string, domain: string): string {
  return `${accountId} ${domain}`;
}

/** FNV-1a with 32 bits: two keys with one hash cost a comparison of names. */
function hashKey(scope: string, key: string): number {
  let hash = 0x811c9dc5;
  for (const octet of new TextEncoder().encode(`${scope} ${key}`)) {
    hash = Math.imul(hash ^ octet, 0x01000193);
  }
  return hash | 0;
}
