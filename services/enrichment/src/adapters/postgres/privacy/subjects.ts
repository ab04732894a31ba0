import { inTransaction } from '@mailproof/service-kit';
import type { Pool, PoolClient } from 'pg';
import { nameKey, recognitionHashes } from '../../../domain/privacy/recognition.ts';
import type { Subjects, SuppressedOnDay, Suppressing } from '../../../domain/privacy/subjects.ts';
import type { Recognition, SubjectTrace } from '../../../domain/privacy/suppression.ts';
import { lockProfileStore } from '../profile-store/write-lock.ts';
import { writePrivacyEvent } from './privacy-events.ts';
import { readSubject } from './read-subject.ts';
import { removePeople } from './remove-people.ts';

export interface SubjectsOptions {
  readonly suppressionKey: Uint8Array;
  readonly retentionDays: number;
  /** Who else keeps something of people. */
  readonly traces: readonly SubjectTrace<PoolClient>[];
}

interface PersonRow {
  readonly person_no: number;
  readonly company_no: number | null;
  readonly profile_key: string;
  readonly full_name: string;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly website: string | null;
  readonly company_domain: string | null;
  /** As the person's own source writes it, and as the company is called. */
  readonly company_name: string | null;
  readonly employer: string | null;
}

/** Rows of the list by day. */
const daysMax = 60;

const selectPeople = `
  SELECT person_no, company_no, person.profile_key, full_name, first_name, last_name, person.website, company_name,
    company.domain AS company_domain, company.name AS employer
  FROM person LEFT JOIN company USING (company_no)`;

export function createSubjects(pool: Pool, options: SubjectsOptions): Subjects {
  const { suppressionKey, retentionDays } = options;
  return {
    show: (profileKey, now) =>
      inTransaction(pool, async client => {
        const subject = await readSubject(client, profileKey, retentionDays);
        const [subjectHash] = recognitionHashes(suppressionKey, { profileKey });
        const people = subject ? 1 : 0;
        await writePrivacyEvent(client, { kind: 'shown', actor: 'operator', subjectHash, people, now });
        return subject;
      }),

    suppress: request => inTransaction(pool, client => suppress(client, options, request)),

    async countSuppressions() {
      const { rows } = await pool.query<{ count: string }>('SELECT count(*) FROM suppression');
      return Number(rows[0]?.count ?? 0);
    },

    async suppressedByDay() {
      const { rows } = await pool.query<SuppressedOnDay>(
        `SELECT to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, actor, count(*)::integer AS requests,
           sum(people)::integer AS deleted
         FROM privacy_event WHERE kind = 'suppressed' GROUP BY 1, 2 ORDER BY 1 DESC, 2 LIMIT ${daysMax}`,
      );
      return rows;
    },
  };
}

async function suppress(
  client: PoolClient,
  { suppressionKey, traces }: SubjectsOptions,
  { profileKey, reason, actor, now }: Suppressing,
): Promise<{ deleted: number }> {
  await lockProfileStore(client);
  const people = await findAll(client, profileKey);
  const [subjectHash] = recognitionHashes(suppressionKey, { profileKey });
  const hashes = [{ profileKey }, ...people.flatMap(recognitionsOf)].flatMap(person =>
    recognitionHashes(suppressionKey, person),
  );
  await client.query(
    `INSERT INTO suppression (key_hash, reason, suppressed_at)
     SELECT DISTINCT unnest($1::bytea[]), $2, $3::timestamptz ON CONFLICT DO NOTHING`,
    [hashes, reason, now],
  );
  const deleted = await removePeople(
    client,
    people.map(({ person_no }) => person_no),
    now,
  );
  await removeFromCompanies(client, profileKey, now);
  for (const key of new Set([profileKey, ...people.map(({ profile_key }) => profile_key)])) {
    for (const trace of traces) {
      await trace.forget(client, { profileKey: key });
    }
  }
  await writePrivacyEvent(client, { kind: 'suppressed', actor, subjectHash, people: deleted, now });
  return { deleted };
}

/**
 * A profile whose URL does not tell whom it is of may have been loaded as a company's. The company stays where it has a
 * domain, without the profile; of one that nothing but the profile names, nothing is left.
 */
async function removeFromCompanies(client: PoolClient, profileKey: string, now: Date): Promise<void> {
  await client.query(
    `DELETE FROM record_history WHERE field = 'profile_url'
       AND company_no IN (SELECT company_no FROM company WHERE profile_key = $1)`,
    [profileKey],
  );
  await client.query(
    `UPDATE company SET profile_key = NULL, profile_url = NULL, change_no = nextval('record_change_no'), updated_at = $2
     WHERE profile_key = $1 AND domain IS NOT NULL`,
    [profileKey, now],
  );
  await client.query(
    `WITH removed AS (DELETE FROM company WHERE profile_key = $1 RETURNING company_no)
     INSERT INTO removed_record (company_no, removed_at) SELECT company_no, $2 FROM removed`,
    [profileKey, now],
  );
}

/** By all that is kept of the person; the company bears two names where sources differ. */
function recognitionsOf(person: PersonRow): Recognition[] {
  return [person.company_name, person.employer].map(companyName => ({
    profileKey: person.profile_key,
    website: person.website,
    fullName: person.full_name,
    firstName: person.first_name,
    lastName: person.last_name,
    companyDomain: person.company_domain,
    companyName,
  }));
}

/** The person with this profile, and others of the same name at the same company: they may be the same person. */
async function findAll(client: PoolClient, profileKey: string): Promise<PersonRow[]> {
  const { rows } = await client.query<PersonRow>(`${selectPeople} WHERE person.profile_key = $1`, [
    profileKey,
  ]);
  const [person] = rows;
  if (!person) {
    return [];
  }
  // People of whose company the name alone is known are found by a look at all of them, which an opt-out can wait for.
  const { rows: colleagues } = await client.query<PersonRow>(
    `${selectPeople}
     WHERE person_no <> $1 AND (company_no = $2 OR lower(company_name) = ANY ($3) OR company_no IN (
       SELECT company_no FROM company WHERE lower(name) = ANY ($3)))`,
    [
      person.person_no,
      person.company_no,
      [person.company_name, person.employer].flatMap(name => name?.toLowerCase() ?? []),
    ],
  );
  const name = nameKey(person.full_name);
  return [person, ...colleagues.filter(({ full_name }) => nameKey(full_name) === name)];
}
