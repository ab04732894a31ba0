import type { PeopleFilters } from '@mailproof/shared-types';
import type { PeoplePage } from '../people-index.ts';
import { blockRows, findFailures, type Skipped } from './find-failures.ts';
import { matchTables } from './match-tables.ts';
import type { PeopleColumns } from './people-columns.ts';

/** The next people who match, by ascending person_no; looks no further than it has to. */
export function pagePeople(
  columns: PeopleColumns,
  filters: PeopleFilters,
  options: { readonly after: number; readonly limit: number; readonly skipped?: Skipped },
): PeoplePage {
  const { after, limit, skipped = new Int32Array(0) } = options;
  const match = matchTables(columns, filters);
  const failures = new Uint16Array(blockRows);
  const personNos: number[] = [];
  for (let from = columns.firstRowAfter(after); from < columns.rows; from += blockRows) {
    const to = Math.min(from + blockRows, columns.rows);
    findFailures(columns, match, skipped, { from, to }, failures);
    for (let row = from; row < to; row += 1) {
      if (failures[row - from] === 0) {
        if (personNos.length === limit) {
          return { personNos, more: true };
        }
        personNos.push(columns.personNo.numbers[row] ?? 0);
      }
    }
  }
  return { personNos, more: false };
}
