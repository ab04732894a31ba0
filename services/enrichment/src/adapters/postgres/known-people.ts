import { inTransaction, onlyRow } from '@mailproof/service-kit';
import { limits } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import {
  type MatchKnownPeople,
  matchLocalParts,
  type NameKeyWriter,
  nameKeysOf,
} from '../../domain/known-people/known-people.ts';
import { sql } from './known-people.sql.ts';
import { sql as profiles } from './profiles.sql.ts';

/** How many keys of people one statement finds; a person may have several of them. */
const keysFoundMax = 2_000;
/** How many people get their keys in one transaction. */
const peopleAtOnceMax = 1_000;

/** Matches local parts with the people of the company that has a domain. */
export function createMatchKnownPeople(pool: Pool, now: () => Date): MatchKnownPeople {
  return async (domain, localParts) => {
    const [company] = (await sql.find_company_no(pool, { domain })).rows;
    if (company === undefined) {
      return { knownPeople: 0, matches: localParts.map(() => ({ current: [], hasLeft: false })) };
    }
    const { company_no } = company;
    const counted = sql.count_people_of(pool, { company_no, people_max: limits.knownPeopleCountedMax });
    const [matches, { people }] = await Promise.all([
      matchLocalParts(
        {
          async findByKeys(keys) {
            const { rows: found } = await sql.find_by_name_keys(pool, { keys, found_max: keysFoundMax });
            if (found.length === keysFoundMax) {
              return undefined;
            }
            // One statement reads the people, so that one who is being deleted is either complete or absent.
            const { rows } = await sql.read_known_people(pool, {
              company_no,
              person_nos: found.map(({ person_no }) => person_no),
              today: now().toISOString().slice(0, 10),
            });
            return rows.map(row => ({
              fullName: row.full_name,
              firstName: row.first_name,
              lastName: row.last_name,
              worksThere: row.works_there,
              ageDays: row.age_days,
            }));
          },
        },
        company_no,
        localParts,
      ),
      onlyRow(counted),
    ]);
    return { knownPeople: people, matches };
  };
}

/**
 * Writes the keys of changed people, batch by batch, in the order of their changes. So people of an earlier release and
 * new ones are treated alike. A batch holds the store's lock: no person is deleted meanwhile, and replicas take turns.
 */
export function createNameKeyWriter(pool: Pool): NameKeyWriter {
  return {
    async writeNext() {
      const { missing } = await onlyRow(sql.are_name_keys_missing(pool, {}));
      return missing ? inTransaction(pool, writeBatch) : 0;
    },
  };
}

async function writeBatch(client: PoolClient): Promise<number> {
  await profiles.lock_profile_store(client, {});
  const { rows } = await sql.people_without_name_keys(client, { people_max: peopleAtOnceMax });
  const last = rows.at(-1);
  if (last !== undefined) {
    const keyed = rows.map(row => {
      const name = { fullName: row.full_name, firstName: row.first_name, lastName: row.last_name };
      const employers = [row.company_no, ...row.former_company_nos].filter(no => no !== null);
      return { person_no: row.person_no, keys: row.is_synthetic ? [] : nameKeysOf(name, employers) };
    });
    await sql.write_name_keys(client, { rows: JSON.stringify(keyed) });
    await sql.move_name_key_progress(client, { change_no: last.change_no });
  }
  return rows.length;
}
