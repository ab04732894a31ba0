import { inTransaction, onlyRow } from '@mailproof/service-kit';
import { type AccountId, limits } from '@mailproof/shared-types';
import type { WrittenName } from '@mailproof/shared-types/local-parts';
import type { Pool, PoolClient } from 'pg';
import {
  type KnownPerson,
  type MatchKnownPeople,
  matchLocalParts,
  type NameKeyWriter,
  nameKeyRules,
  nameKeysOf,
  type PeopleOfCompany,
  scopeOfAccount,
  scopeOfCompany,
} from '../../domain/known-people/known-people.ts';
import { sql } from './known-people.sql.ts';
import { sql as profiles } from './profiles.sql.ts';

/** How many keys of people one statement finds; a person may have several of them. */
const keysFoundMax = 2_000;
/** How many people get their keys in one transaction. */
const peopleAtOnceMax = 1_000;

/** Matches local parts with the people of the company that has a domain. */
export function createMatchKnownPeople(pool: Pool, now: () => Date): MatchKnownPeople {
  return async (domain, localParts, accountId) => {
    const today = now().toISOString().slice(0, 10);
    const own = accountId && ownPeople(pool, accountId, domain, today);
    const [company] = (await sql.find_company_no(pool, { domain })).rows;
    if (company === undefined) {
      return { knownPeople: 0, matches: await matchLocalParts(undefined, own, localParts) };
    }
    const { company_no } = company;
    const counted = sql.count_people_of(pool, { company_no, people_max: limits.knownPeopleCountedMax });
    const [matches, { people }] = await Promise.all([
      matchLocalParts(peopleOfStore(pool, company_no, today), own, localParts),
      onlyRow(counted),
    ]);
    return { knownPeople: people, matches };
  };
}

function peopleOfStore(pool: Pool, company_no: number, today: string): PeopleOfCompany {
  return {
    scope: scopeOfCompany(company_no),
    async findByKeys(keys) {
      const { rows: found } = await sql.find_by_name_keys(pool, { keys, found_max: keysFoundMax });
      if (found.length === keysFoundMax) {
        return undefined;
      }
      // One statement reads the people, so that one who is being deleted is either complete or absent.
      const { rows } = await sql.read_known_people(pool, {
        company_no,
        person_nos: found.map(({ person_no }) => person_no),
        today,
      });
      return rows.map(row => ({ ...personOf(row), worksThere: row.works_there }));
    },
  };
}

/** People whom one account has imported, by the domain of the company that its file names. */
function ownPeople(pool: Pool, account_id: AccountId, domain: string, today: string): PeopleOfCompany {
  return {
    scope: scopeOfAccount(account_id, domain),
    async findByKeys(keys) {
      const { rows: found } = await sql.find_by_own_name_keys(pool, { keys, found_max: keysFoundMax });
      if (found.length === keysFoundMax) {
        return undefined;
      }
      const person_nos = found.map(({ person_no }) => person_no);
      const { rows } = await sql.read_own_known_people(pool, { account_id, domain, person_nos, today });
      return rows.map(row => ({ ...personOf(row), worksThere: true }));
    },
  };
}

interface PersonRow {
  readonly profile_key: string;
  readonly full_name: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly age_days: number;
}

function personOf(row: PersonRow): Omit<KnownPerson, 'worksThere'> {
  return { profileKey: row.profile_key, ...nameOf(row), ageDays: row.age_days };
}

function nameOf(row: Pick<PersonRow, 'full_name' | 'first_name' | 'last_name'>): WrittenName {
  return { fullName: row.full_name, firstName: row.first_name, lastName: row.last_name };
}

/**
 * Writes the keys of changed people, batch by batch, in the order of their changes. So people of an earlier release and
 * new ones are treated alike. A batch holds the store's lock: no person is deleted meanwhile, and replicas take turns.
 *
 * @param rules the version of the rules, under which the progress is kept
 */
export function createNameKeyWriter(pool: Pool, rules = nameKeyRules): NameKeyWriter {
  return {
    async writeNext() {
      const { missing } = await onlyRow(sql.are_name_keys_missing(pool, { rules }));
      return missing ? inTransaction(pool, client => writeBatch(client, rules)) : 0;
    },
  };
}

async function writeBatch(client: PoolClient, rules: number): Promise<number> {
  await profiles.lock_profile_store(client, {});
  await sql.begin_name_key_rules(client, { rules });
  const { rows } = await sql.people_without_name_keys(client, { rules, people_max: peopleAtOnceMax });
  const last = rows.at(-1);
  if (last !== undefined) {
    const keyed = rows.map(row => {
      const employers = [row.company_no, ...row.former_company_nos].filter(no => no !== null);
      const keys = row.is_synthetic ? [] : nameKeysOf(nameOf(row), employers.map(scopeOfCompany));
      return { person_no: row.person_no, keys };
    });
    await sql.write_name_keys(client, { rows: JSON.stringify(keyed) });
    await sql.move_name_key_progress(client, { rules, change_no: last.change_no });
  }
  return rows.length;
}

/**
 * Writes the keys of own people who were imported or changed since, batch by batch, and then of those who have keys by
 * other rules. Replicas skip the people of each other's batches.
 *
 * @param rules the version of the rules, under which the progress is kept
 */
export function createOwnNameKeyWriter(pool: Pool, rules = nameKeyRules): NameKeyWriter {
  return {
    writeNext: () =>
      inTransaction(pool, async client => {
        const changed = await sql.own_people_without_keys(client, { people_max: peopleAtOnceMax });
        const rows = changed.rows.length > 0 ? changed.rows : await nextOfOtherRules(client, rules);
        const keyed = rows.map(row => ({
          person_no: row.person_no,
          keys:
            row.company_domain === null
              ? []
              : nameKeysOf(nameOf(row), [scopeOfAccount(row.account_id, row.company_domain)]),
        }));
        if (keyed.length > 0) {
          await sql.write_own_name_keys(client, { rows: JSON.stringify(keyed) });
        }
        return keyed.length;
      }),
  };
}

async function nextOfOtherRules(client: PoolClient, rules: number) {
  await sql.begin_name_key_rules(client, { rules });
  const { rows } = await sql.own_people_of_other_rules(client, { rules, people_max: peopleAtOnceMax });
  const lowest = rows.at(-1);
  if (lowest !== undefined) {
    await sql.move_own_name_key_progress(client, { rules, own_person_no: lowest.person_no });
  }
  return rows;
}
