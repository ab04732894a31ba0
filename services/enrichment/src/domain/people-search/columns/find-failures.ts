import type { Column } from './column.ts';
import { hasName, type WantedNames } from './match-names.ts';
import { failure, type ListedRows, type MatchTables, type WantedKeywords } from './match-tables.ts';
import type { NameWords } from './name-words.ts';
import type { PeopleColumns } from './people-columns.ts';
import type { KeywordDictionary, ValueLists } from './text-columns.ts';

/** The number of rows examined together: few enough that their failure bits stay in the CPU cache. */
export const blockRows = 8_192;

interface Block {
  readonly from: number;
  readonly to: number;
}

/** People excluded from all results, by ascending person_no. */
export type Skipped = Int32Array;

/**
 * Records for a block of rows which filters each row fails, one bit each. Column by column, each in its own loop,
 * because that is fast on a CPU.
 */
export function findFailures(
  columns: PeopleColumns,
  match: MatchTables,
  skipped: Skipped,
  block: Block,
  failures: Uint16Array,
): void {
  const { from, to } = block;
  const { tables, keywords, excludedKeywords, names, excludedNames, listed } = match;
  noteGone(columns.gone.numbers, from, to, failures);
  for (const table of tables) {
    note(table.column.numbers, table.failures, from, to, failures);
  }
  if (keywords) {
    noteKeywords(columns.keywords, keywords, from, to, failures);
  }
  if (excludedKeywords) {
    noteAnyKeyword(columns.keywords, excludedKeywords, failure.barred, true, { from, to }, failures);
  }
  if (skipped.length > 0) {
    noteSkipped(columns.personNo, skipped, from, to, failures);
  }
  if (listed) {
    noteUnlisted(columns, listed, from, to, failures);
  }
  if (names) {
    noteNames(columns.names, names, false, block, failures);
  }
  if (excludedNames) {
    noteNames(columns.names, excludedNames, true, block, failures);
  }
}

function noteGone(gone: Uint32Array, from: number, to: number, failures: Uint16Array): void {
  for (let row = from; row < to; row += 1) {
    failures[row - from] = gone[row] as number;
  }
}

function note(codes: Uint32Array, table: Uint16Array, from: number, to: number, failures: Uint16Array): void {
  for (let row = from; row < to; row += 1) {
    (failures[row - from] as number) |= table[codes[row] as number] as number;
  }
}

type Keywords = ValueLists<KeywordDictionary>;

function noteKeywords(
  lists: Keywords,
  wanted: WantedKeywords,
  from: number,
  to: number,
  failures: Uint16Array,
): void {
  if ('any' in wanted) {
    noteAnyKeyword(lists, wanted.any, failure.keywords, false, { from, to }, failures);
    return;
  }
  const begin = lists.begin.numbers;
  const end = lists.end.numbers;
  const codes = lists.codes.numbers;
  for (const { bitsOf, needed } of wanted.all) {
    for (let row = from; row < to; row += 1) {
      const last = end[row] as number;
      let had = 0;
      for (let at = begin[row] as number; at < last; at += 1) {
        had |= bitsOf[codes[at] as number] as number;
      }
      if (had !== needed) {
        (failures[row - from] as number) |= failure.keywords;
      }
    }
  }
}

/** Notes a failure for each row that has one of the keywords, or for each that has none of them. */
function noteAnyKeyword(
  lists: Keywords,
  named: Uint8Array,
  failed: number,
  failsIfNamed: boolean,
  { from, to }: Block,
  failures: Uint16Array,
): void {
  const begin = lists.begin.numbers;
  const end = lists.end.numbers;
  const codes = lists.codes.numbers;
  const [ifNamed, ifNot] = failsIfNamed ? [failed, 0] : [0, failed];
  for (let row = from; row < to; row += 1) {
    const last = end[row] as number;
    let had = 0;
    for (let at = begin[row] as number; at < last && had === 0; at += 1) {
      had = named[codes[at] as number] as number;
    }
    (failures[row - from] as number) |= had === 0 ? ifNot : ifNamed;
  }
}

/**
 * Bars each row whose person has one of the names, or each whose person has none of them. A row that is barred or fails
 * two filters counts nowhere, and needs no comparison.
 */
function noteNames(
  lists: ValueLists<NameWords>,
  { flags, groups }: WantedNames,
  failsIfNamed: boolean,
  { from, to }: Block,
  failures: Uint16Array,
): void {
  const begin = lists.begin.numbers;
  const end = lists.end.numbers;
  const codes = lists.codes.numbers;
  for (let row = from; row < to; row += 1) {
    const failed = failures[row - from] as number;
    if ((failed & failure.barred) !== 0 || (failed & (failed - 1)) !== 0) {
      continue;
    }
    const first = begin[row] as number;
    const last = end[row] as number;
    let had = 0;
    for (let at = first; at < last; at += 1) {
      had |= flags[codes[at] as number] as number;
    }
    const isNamed = had >= 2 || (had !== 0 && hasName(codes, first, last, groups));
    if (isNamed === failsIfNamed) {
      failures[row - from] = failed | failure.barred;
    }
  }
}

function noteUnlisted(
  columns: PeopleColumns,
  { people, companies }: ListedRows,
  from: number,
  to: number,
  failures: Uint16Array,
): void {
  const numbers = columns.personNo.numbers;
  const employers = columns.company.numbers;
  let at = firstNotBelow(people, numbers[from] as number);
  for (let row = from; row < to; row += 1) {
    while (at < people.length && (people[at] as number) < (numbers[row] as number)) {
      at += 1;
    }
    if (people[at] !== numbers[row] && companies[employers[row] as number] === 0) {
      (failures[row - from] as number) |= failure.barred;
    }
  }
}

function noteSkipped(
  personNo: Column,
  skipped: Skipped,
  from: number,
  to: number,
  failures: Uint16Array,
): void {
  const numbers = personNo.numbers;
  let at = firstNotBelow(skipped, numbers[from] as number);
  for (let row = from; row < to && at < skipped.length; row += 1) {
    while (at < skipped.length && (skipped[at] as number) < (numbers[row] as number)) {
      at += 1;
    }
    if (skipped[at] === numbers[row]) {
      (failures[row - from] as number) |= failure.barred;
    }
  }
}

function firstNotBelow(sorted: Int32Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
