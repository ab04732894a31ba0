import type { Column, Dictionary } from './column.ts';
import { hasName, type WantedNames } from './match-names.ts';
import { failure, type ListedRows, type MatchTables } from './match-tables.ts';
import type { NameWords } from './name-words.ts';
import type { PeopleColumns } from './people-columns.ts';
import type { ValueLists } from './text-columns.ts';

/** The number of rows examined together: few enough that their failure bits stay in the CPU cache. */
export const blockRows = 8_192;

/** People excluded from all results, by ascending person_no. */
export type Skipped = Int32Array;

/**
 * Records for a block of rows which filters each row fails, one bit each. Column by column, each in its own loop,
 * because that is fast on a CPU.
 */
export function findFailures(
  columns: PeopleColumns,
  { tables, keywords, keywordsNeeded, names, listed }: MatchTables,
  skipped: Skipped,
  block: { readonly from: number; readonly to: number },
  failures: Uint16Array,
): void {
  const { from, to } = block;
  noteGone(columns.gone.numbers, from, to, failures);
  for (const table of tables) {
    note(table.column.numbers, table.failures, from, to, failures);
  }
  if (keywords) {
    noteKeywords(columns.keywords, keywords, keywordsNeeded, from, to, failures);
  }
  if (skipped.length > 0) {
    noteSkipped(columns.personNo, skipped, from, to, failures);
  }
  if (listed) {
    noteUnlisted(columns, listed, from, to, failures);
  }
  if (names) {
    noteNames(columns.names, names, from, to, failures);
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

function noteKeywords(
  lists: ValueLists<Dictionary>,
  wanted: Uint8Array,
  needed: number,
  from: number,
  to: number,
  failures: Uint16Array,
): void {
  const begin = lists.begin.numbers;
  const end = lists.end.numbers;
  const codes = lists.codes.numbers;
  for (let row = from; row < to; row += 1) {
    const last = end[row] as number;
    let had = 0;
    for (let at = begin[row] as number; at < last && had < needed; at += 1) {
      had += wanted[codes[at] as number] as number;
    }
    if (had < needed) {
      (failures[row - from] as number) |= failure.keywords;
    }
  }
}

/** A row that is barred or fails two filters counts nowhere, and needs no comparison. */
function noteNames(
  lists: ValueLists<NameWords>,
  { flags, groups }: WantedNames,
  from: number,
  to: number,
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
    if (had < 2 && (had === 0 || !hasName(codes, first, last, groups))) {
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
