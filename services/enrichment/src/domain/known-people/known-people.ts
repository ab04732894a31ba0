import type { KnownPeopleMatch } from '@mailproof/shared-types';
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
  readonly worksThere: boolean;
  /** How long ago a source said where the person works. */
  readonly ageDays: number;
}

/** What is known about the people who work at a domain, and how local parts fit their names. */
export interface KnownPeople {
  /** Counted up to a limit. */
  readonly knownPeople: number;
  /** A match for each local part, in their order. */
  readonly matches: KnownPeopleMatch[];
}

export type MatchKnownPeople = (domain: string, localParts: readonly string[]) => Promise<KnownPeople>;

/** Keeps the keys by which people are found. */
export interface NameKeyWriter {
  /** Writes the keys of the next changed people, and returns how many there were. */
  writeNext(): Promise<number>;
}

/** Finds people of one company by keys of their names. */
export interface PeopleOfCompany {
  /** Undefined if more people than the limit have one of the keys. */
  findByKeys(keys: readonly number[]): Promise<readonly KnownPerson[] | undefined>;
}

/** An exact age would help to tell which person fits. */
const ageStepDays = 30;
const noMatch: KnownPeopleMatch = { current: [], hasLeft: false };

/**
 * Matches local parts with the people of a company. If too many people have one of the keys, fewer local parts are
 * looked up at once; a single one that still fits too many tells no one apart and matches no one.
 *
 * @param companyNo the company in the store
 */
export async function matchLocalParts(
  people: PeopleOfCompany,
  companyNo: number,
  localParts: readonly string[],
): Promise<KnownPeopleMatch[]> {
  const keys = new Set(
    localParts.flatMap(localPart => {
      const candidate = readCandidate(localPart);
      return candidate === undefined
        ? []
        : [...keysOfCandidate(candidate)].map(key => hashKey(companyNo, key));
    }),
  );
  const found = keys.size === 0 ? [] : await people.findByKeys([...keys]);
  if (found !== undefined) {
    const byKey = byKeys(found);
    return localParts.map(localPart => matchOne(readCandidate(localPart), byKey));
  }
  if (localParts.length === 1) {
    return [noMatch];
  }
  const middle = Math.ceil(localParts.length / 2);
  return [
    ...(await matchLocalParts(people, companyNo, localParts.slice(0, middle))),
    ...(await matchLocalParts(people, companyNo, localParts.slice(middle))),
  ];
}

interface SpelledPerson extends KnownPerson {
  readonly spellings: ReturnType<typeof spellName>;
}

type PeopleByKey = ReadonlyMap<string, readonly SpelledPerson[]>;

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

function matchOne(candidate: NameCandidate | undefined, byKey: PeopleByKey): KnownPeopleMatch {
  if (candidate === undefined) {
    return noMatch;
  }
  const people = new Set([...keysOfCandidate(candidate)].flatMap(key => byKey.get(key) ?? []));
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

/** The keys under which a person is found at each of the companies. */
export function nameKeysOf(name: WrittenName, companyNos: readonly number[]): number[] {
  const keys = [...keysOfName(spellName(name))];
  return [...new Set(companyNos.flatMap(companyNo => keys.map(key => hashKey(companyNo, key))))];
}

/** FNV-1a with 32 bits: two keys with one hash cost a comparison of names. */
function hashKey(companyNo: number, key: string): number {
  let hash = 0x811c9dc5;
  for (const octet of new TextEncoder().encode(`${companyNo} ${key}`)) {
    hash = Math.imul(hash ^ octet, 0x01000193);
  }
  return hash | 0;
}
