import { wordsOfName } from '@mailproof/shared-types/name-words';
import type { NameWords } from './name-words.ts';

/**
 * A requested word that begins another requested word too, as `j` begins `jones`: at least so many words of a person's
 * name must begin with it. Each requested word then has its own word in the name (Hall's condition, for sets that are
 * nested or disjoint).
 */
interface SharedWord {
  readonly bit: number;
  readonly least: number;
}

/** Requested names of several words, whose words fit into the bits of a number together. */
interface NameGroup {
  /** The requested words that each known word begins with, one bit each. */
  readonly bitsOf: Int32Array;
  /** The bits of all words of each name. */
  readonly bits: readonly number[];
  /** The number of words of each name, ascending; a person's name has at least as many. */
  readonly words: readonly number[];
  readonly shared: readonly (readonly SharedWord[])[];
}

/** The requested names of a search. */
export interface WantedNames {
  /**
   * For each known word: 2 if it begins with a requested name of one word, which it satisfies alone; 1 if it begins with
   * a word of a longer name; 0 otherwise, as for most words.
   */
  readonly flags: Uint8Array;
  readonly groups: readonly NameGroup[];
}

const bitsMax = 32;

/** Compiles the requested names; a name without letters and digits matches no one. */
export function wantedNames(known: NameWords, wanted: readonly string[]): WantedNames {
  const flags = new Uint8Array(known.size);
  const asked = wanted
    .map(wordsOfName)
    .filter(({ length }) => length <= bitsMax)
    .sort((one, other) => one.length - other.length);
  for (const [word] of asked.filter(({ length }) => length === 1)) {
    known.eachBeginningWith(word as string, code => {
      flags[code] = 2;
    });
  }
  const groups: { bitsOf: Int32Array; bits: number[]; words: number[]; shared: SharedWord[][] }[] = [];
  let used = bitsMax;
  for (const words of asked.filter(({ length }) => length > 1)) {
    if (used + words.length > bitsMax) {
      groups.push({ bitsOf: new Int32Array(known.size), bits: [], words: [], shared: [] });
      used = 0;
    }
    const group = groups.at(-1);
    if (group) {
      addName(group, words, used, known, flags);
    }
    used += words.length;
  }
  return { flags, groups };
}

function addName(
  {
    bitsOf,
    bits,
    words,
    shared,
  }: { bitsOf: Int32Array; bits: number[]; words: number[]; shared: SharedWord[][] },
  asked: readonly string[],
  used: number,
  known: NameWords,
  flags: Uint8Array,
): void {
  const bitOf = (at: number) => 1 << (used + at);
  for (const [at, word] of asked.entries()) {
    known.eachBeginningWith(word, code => {
      bitsOf[code] = (bitsOf[code] as number) | bitOf(at);
      flags[code] = (flags[code] as number) | 1;
    });
  }
  bits.push(asked.reduce((all, _, at) => all | bitOf(at), 0));
  words.push(asked.length);
  shared.push(
    asked
      .map((word, at) => ({ bit: bitOf(at), least: asked.filter(other => other.startsWith(word)).length }))
      .filter(({ least }) => least > 1),
  );
}

/** Whether a name, a list of the codes of its words, is one of those in the groups. */
export function hasName(
  codes: Uint32Array,
  first: number,
  last: number,
  groups: readonly NameGroup[],
): boolean {
  for (let each = 0; each < groups.length; each += 1) {
    const group = groups[each] as NameGroup;
    if ((group.words[0] as number) > last - first) {
      // The names of this group and of those after it have more words.
      return false;
    }
    let had = 0;
    for (let at = first; at < last; at += 1) {
      had |= group.bitsOf[codes[at] as number] as number;
    }
    // Each name of a group needs two bits; most people have one at most.
    if ((had & (had - 1)) === 0) {
      continue;
    }
    for (let at = 0; at < group.bits.length; at += 1) {
      const bits = group.bits[at] as number;
      if (
        (had & bits) === bits &&
        (group.words[at] as number) <= last - first &&
        hasShared(codes, first, last, group.bitsOf, group.shared[at] as readonly SharedWord[])
      ) {
        return true;
      }
    }
  }
  return false;
}

function hasShared(
  codes: Uint32Array,
  first: number,
  last: number,
  bitsOf: Int32Array,
  shared: readonly SharedWord[],
): boolean {
  for (let each = 0; each < shared.length; each += 1) {
    const { bit, least } = shared[each] as SharedWord;
    let had = 0;
    for (let at = first; at < last; at += 1) {
      had += ((bitsOf[codes[at] as number] as number) & bit) === 0 ? 0 : 1;
    }
    if (had < least) {
      return false;
    }
  }
  return true;
}
