import { inTransaction } from '@mailproof/service-kit';
import type { Pool, PoolClient } from 'pg';
import { nameKey, recognitionHashes } from '../../../domain/privacy/recognition.ts';
import type {
  PrivacyActor,
  Recognition,
  Subjects,
  SubjectTrace,
  SuppressedOnDay,
  Suppressing,
} from '../../../domain/privacy/subjects.ts';
import { lockProfileStore } from '../profile-store/loads.ts';
import { readSubject } from './read-subject.ts';

interface SubjectsOptions {
  readonly suppressionKey: Uint8Array;
  readonly retentionDays: number;
  /** Other stores of data about people. */
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
  /** The name from the person's own source, and the name of the company. */
  readonly company_name: string | null;
  readonly employer: string | null;
}

/** The maximum number of rows in the list by day. */
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
 * A profile whose URL does not tell its kind may have been loaded as a company's. A company with a domain stays,
 * without the profile; a company identified only by the profile is deleted.
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

/** Returns everything that identifies the person; the company has two names if sources differ. */
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

/**
 * Returns the person with this profile, and others of the same name at the same company: they may be the same person.
 */
async function findAll(client: PoolClient, profileKey: string): Promise<PersonRow[]> {
  const { rows } = await client.query<PersonRow>(`${selectPeople} WHERE person.profile_key = $1`, [
    profileKey,
  ]);
  const [person] = rows;
  if (!person) {
    return [];
  }
  // Finding people whose company is known only by name requires a scan of all people, which is acceptable for an
  // opt-out.
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

/** Records a privacy action within a transaction. The record identifies no person. */
export async function writePrivacyEvent(
  client: PoolClient,
  event: {
    readonly kind: 'suppressed' | 'shown' | 'deleted' | 'expired';
    readonly actor: PrivacyActor;
    readonly subjectHash: Buffer | undefined;
    readonly people: number;
    readonly now: Date;
  },
): Promise<void> {
  await client.query(
    'INSERT INTO privacy_event (kind, actor, subject_hash, people, at) VALUES ($1, $2, $3, $4, $5)',
    [event.kind, event.actor, event.subjectHash ?? null, event.people, event.now],
  );
}

/**
 * Deletes people and all dependent rows, within a transaction that holds the store's lock, and records their removal
 * for in-memory copies. Returns the number of people deleted.
 */
export async function removePeople(
  client: PoolClient,
  personNos: readonly number[],
  now: Date,
): Promise<number> {
  if (personNos.length === 0) {
    return 0;
  }
  const { rowCount } = await client.query(
    `WITH removed AS (DELETE FROM person WHERE person_no = ANY ($1) RETURNING person_no)
     INSERT INTO removed_record (person_no, removed_at) SELECT person_no, $2 FROM removed`,
    [personNos, now],
  );
  return rowCount ?? 0;
}
