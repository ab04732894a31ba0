import { wordsOfName } from '@mailproof/shared-types/name-words';
import type { NameWords } from './name-words.ts';
import type { ValueLists } from './text-columns.ts';

/** A requested name; each of its words has a bit. */
interface WantedName {
  readonly bits: number;
  /**
   * Words that begin another requested word too, as `j` begins `jones`: so many words of a person's name must begin with
   * them. Each requested word then has its own word in the name (Hall's condition, for sets that are nested or disjoint).
   */
  readonly shared: readonly { readonly bit: number; readonly least: number }[];
}

/** Requested names whose words fit into the bits of a number together. */
export interface NameGroup {
  /** The requested words that each known word begins with, one bit each. */
  readonly bitsOf: Int32Array;
  readonly names: readonly WantedName[];
}

/** The requested names of a search. */
export interface WantedNames {
  /** 1 for each known word that begins with a requested word; most people have none of them. */
  readonly flags: Uint8Array;
  readonly groups: readonly NameGroup[];
}

const bitsMax = 32;

/** Compiles the requested names; a name without letters and digits matches no one. */
export function wantedNames(words: NameWords, wanted: readonly string[]): WantedNames {
  const flags = new Uint8Array(words.size);
  const groups: { bitsOf: Int32Array; names: WantedName[]; used: number }[] = [];
  for (const asked of wanted.map(wordsOfName)) {
    if (asked.length === 0 || asked.length > bitsMax) {
      continue;
    }
    let group = groups.at(-1);
    if (!group || group.used + asked.length > bitsMax) {
      group = { bitsOf: new Int32Array(words.size), names: [], used: 0 };
      groups.push(group);
    }
    const { bitsOf, used } = group;
    const bits = asked.map((word, at) => {
      const bit = 1 << (used + at);
      words.eachBeginningWith(word, code => {
        bitsOf[code] = (bitsOf[code] as number) | bit;
        flags[code] = 1;
      });
      return bit;
    });
    group.names.push({
      bits: bits.reduce((all, bit) => all | bit, 0),
      shared: asked
        .map((word, at) => ({
          bit: bits[at] as number,
          least: asked.filter(other => other.startsWith(word)).length,
        }))
        .filter(({ least }) => least > 1),
    });
    group.used += asked.length;
  }
  return { flags, groups };
}

/** Whether a row has one of the requested names. */
export function hasName(
  { begin, end, codes }: ValueLists<NameWords>,
  row: number,
  groups: readonly NameGroup[],
): boolean {
  const first = begin.numbers[row] as number;
  const last = end.numbers[row] as number;
  for (const { bitsOf, names } of groups) {
    let had = 0;
    for (let at = first; at < last; at += 1) {
      had |= bitsOf[codes.numbers[at] as number] as number;
    }
    if (had === 0) {
      continue;
    }
    for (const { bits, shared } of names) {
      if (
        (had & bits) === bits &&
        shared.every(each => hasAtLeast(codes.numbers, first, last, bitsOf, each))
      ) {
        return true;
      }
    }
  }
  return false;
}

function hasAtLeast(
  codes: Uint32Array,
  first: number,
  last: number,
  bitsOf: Int32Array,
  { bit, least }: { readonly bit: number; readonly least: number },
): boolean {
  let had = 0;
  for (let at = first; at < last; at += 1) {
    had += ((bitsOf[codes[at] as number] as number) & bit) === 0 ? 0 : 1;
  }
  return had >= least;
}
