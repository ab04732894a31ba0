import { type AccountId, limits } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { peopleColumns, personValues } from '../../../domain/exported/exported-people.ts';
import type { ExportedRows, PeopleSource } from '../../../domain/exported/exported-rows.ts';
import {
  provenanceOf,
  readSources,
  type SourcedRow,
  sourcedColumns,
  sourceIdsOf,
} from '../person-provenance.ts';
import { savedColumns, savedJoins, savedPersonOf } from '../person-rows.ts';
import { keyOfMoment, momentOfKey, numbersOfKeys, partsOfKey } from './row-keys.ts';

const saved = `
  FROM saved_person s
  WHERE s.account_id = $1 AND ($2::text IS NULL OR s.run_id = $2) AND ($3::text IS NULL OR EXISTS (
    SELECT FROM saved_list_entry e WHERE e.list_id = $3 AND e.person_no = s.person_no))`;

const listKeys = `
  SELECT ${keyOfMoment('s.saved_at', 's.person_no')} AS key ${saved}
    AND (s.saved_at, s.person_no) > (${momentOfKey('$4')}, $5::int)
  ORDER BY s.saved_at, s.person_no LIMIT ${limits.exportKeysPerPageMax + 1}`;

/** Key by key (`LIMIT` keeps it so): where statistics lag behind a large run, a join would read all that is saved. */
const readPeople = `
  SELECT r.*, a.key
  FROM unnest($2::int[], $3::text[]) WITH ORDINALITY AS a(person_no, key, at)
  CROSS JOIN LATERAL (
    SELECT ${savedColumns}, ${sourcedColumns}
    FROM saved_person s JOIN person p ON p.person_no = s.person_no ${savedJoins}
    WHERE s.account_id = $1 AND s.person_no = a.person_no LIMIT 1
  ) r
  ORDER BY a.at`;

const isThere = `
  SELECT ($2::text IS NULL OR EXISTS (
      SELECT FROM saved_list WHERE account_id = $1 AND list_id = $2 AND kind = 'people'))
    AND ($3::text IS NULL OR EXISTS (
      SELECT FROM discovery_run r JOIN discovery_search s USING (search_id)
      WHERE r.account_id = $1 AND r.run_id = $3 AND s.kind = 'people')) AS is_there`;

/** Rows of saved people on Postgres, in the order in which they were saved. */
export function createExportedPeople(pool: Pool): ExportedRows<PeopleSource> {
  const findSource = async (accountId: AccountId, { list_id, run_id }: PeopleSource) => {
    const { rows } = await pool.query<{ is_there: boolean }>(isThere, [
      accountId,
      list_id ?? null,
      run_id ?? null,
    ]);
    return rows[0]?.is_there === true;
  };
  return {
    async list(accountId, source, after) {
      const [order, number] = partsOfKey(after);
      if (!(await findSource(accountId, source))) {
        return undefined;
      }
      const from = [accountId, source.run_id ?? null, source.list_id ?? null];
      const counted = await pool.query<{ rows: number }>(`SELECT count(*)::int AS rows ${saved}`, from);
      const { rows } = await pool.query<{ key: string }>(listKeys, [...from, order, number]);
      return {
        columns: [...peopleColumns],
        total: counted.rows[0]?.rows ?? 0,
        keys: rows.slice(0, limits.exportKeysPerPageMax).map(({ key }) => key),
        is_last: rows.length <= limits.exportKeysPerPageMax,
      };
    },
    async read(accountId, source, keys) {
      const numbers = numbersOfKeys(keys);
      if (!(await findSource(accountId, source))) {
        return undefined;
      }
      const { rows } = await pool.query<SourcedRow & { key: string }>(readPeople, [accountId, numbers, keys]);
      const sources = await readSources(pool, rows.flatMap(sourceIdsOf));
      return {
        columns: [...peopleColumns],
        keys_read: keys.length,
        rows: rows.map(row => ({
          key: row.key,
          values: personValues(savedPersonOf(row), provenanceOf(row, sources)),
        })),
      };
    },
  };
}
