import { inTransaction, onlyRow, type RowOf } from '@mailproof/service-kit';
import type { Pool, PoolClient } from 'pg';
import { nameKey, recognitionHashes } from '../../../domain/privacy/recognition.ts';
import type {
  KeptField,
  KeptSource,
  PrivacyActor,
  Recognition,
  Subject,
  Subjects,
  SubjectTrace,
  Suppressing,
} from '../../../domain/privacy/subjects.ts';
import { type FieldValue, isBlank } from '../../../domain/profile-store/merge.ts';
import { personColumns } from '../../../domain/profile-store/profile-records.ts';
import { sql as ownPeople } from '../own-people.sql.ts';
import type { FieldSources } from '../person-rows.ts';
import { sql } from '../profiles.sql.ts';

interface SubjectsOptions {
  readonly suppressionKey: Uint8Array;
  readonly retentionDays: number;
  /** Other stores of data about people. */
  readonly traces: readonly SubjectTrace<PoolClient>[];
}

type PersonRow = RowOf<typeof sql.find_person>;
type SubjectRow = RowOf<typeof sql.read_subject>;
type PersonFields = Readonly<Record<string, unknown>>;

const dayMs = 86_400_000;

/** The maximum number of rows in the list by day. */
const daysMax = 60;

export function createSubjects(pool: Pool, options: SubjectsOptions): Subjects {
  const { suppressionKey, retentionDays } = options;
  return {
    show: (profileKey, now) =>
      inTransaction(pool, async client => {
        const subject = await readSubject(client, profileKey, retentionDays);
        const [subjectHash] = recognitionHashes(suppressionKey, { profileKey });
        const { rows } = await ownPeople.read_imported_subject(client, {
          profile_key: profileKey,
          subject_hash: subjectHash ?? Buffer.alloc(0),
        });
        const people = (subject ? 1 : 0) + rows.length;
        await writePrivacyEvent(client, { kind: 'shown', actor: 'operator', subjectHash, people, now });
        const imported = rows.map(row => ({
          fields: knownOf(row.fields as Record<string, unknown>),
          firstImportedAt: row.saved_at,
          changedAt: row.updated_at,
        }));
        return { stored: subject, imported };
      }),

    suppress: request => inTransaction(pool, client => suppress(client, options, request)),

    async countSuppressions() {
      return Number((await onlyRow(sql.count_suppressions(pool, {}))).count);
    },

    async suppressedByDay() {
      const { rows } = await sql.suppressed_by_day(pool, { days_max: daysMax });
      return rows.map(row => ({ ...row, actor: row.actor as PrivacyActor }));
    },
  };
}

function knownOf(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => !isBlank((value ?? null) as FieldValue)),
  );
}

/** Reads everything that the store has about the person with this profile. */
async function readSubject(
  client: PoolClient,
  profileKey: string,
  retentionDays: number,
): Promise<Subject | undefined> {
  const { rows } = await sql.read_subject(client, { profile_key: profileKey });
  const [row] = rows;
  if (!row) {
    return undefined;
  }
  const { rows: history } = await sql.read_history(client, { person_no: row.person_no });
  const ids = [
    row.source_id,
    ...Object.values(row.field_sources as FieldSources),
    ...history.map(({ old_source_id }) => old_source_id),
  ];
  const sources = await readSources(client, ids);
  const sourceOf = (id: number): KeptSource => {
    const source = sources.get(id);
    if (!source) {
      throw new Error(`A field comes from the source ${id}, which does not exist.`);
    }
    return source;
  };
  return {
    personId: row.person_id,
    profileUrl: String((row.person as PersonFields)['profile_url']),
    isSynthetic: row.is_synthetic,
    firstLoadedAt: row.created_at,
    changedAt: row.updated_at,
    keptUntil: row.is_synthetic ? null : new Date(row.created_at.getTime() + retentionDays * dayMs),
    fields: fieldsOf(row, sourceOf),
    history: history.map(({ field, old_value, old_source_id, changed_at }) => ({
      field,
      value: old_value,
      source: sourceOf(old_source_id),
      changedAt: changed_at,
    })),
    accounts: row.accounts,
    lists: row.lists,
  };
}

function fieldsOf(row: SubjectRow, sourceOf: (id: number) => KeptSource): KeptField[] {
  const { source_id: usual, company_domain: domain } = row;
  const person = row.person as PersonFields;
  const apart = row.field_sources as FieldSources;
  const said = Object.values(personColumns)
    .filter(field => !isBlank((person[field] ?? null) as FieldValue))
    .map(field => ({
      field: field as string,
      value: person[field],
      source: sourceOf(apart[field] ?? usual),
    }));
  return domain === null
    ? said
    : [...said, { field: 'company_domain', value: domain, source: sourceOf(apart['company_no'] ?? usual) }];
}

async function readSources(client: PoolClient, ids: readonly number[]): Promise<Map<number, KeptSource>> {
  const { rows } = await sql.read_loads(client, { source_ids: ids });
  return new Map(
    rows.map(({ source_id, kind, name, licence, retrieved_on }) => [
      source_id,
      { kind, name, licence, retrievedOn: retrieved_on },
    ]),
  );
}

async function suppress(
  client: PoolClient,
  { suppressionKey, traces }: SubjectsOptions,
  { profileKey, reason, actor, now }: Suppressing,
): Promise<{ deleted: number }> {
  await sql.lock_profile_store(client, {});
  const people = await findAll(client, profileKey);
  const [subjectHash] = recognitionHashes(suppressionKey, { profileKey });
  // A person whom only a page or the operator's provider has described is recognized by that, before it is forgotten.
  const described = await Promise.all(traces.map(trace => trace.recognize?.(client, { profileKey }) ?? []));
  const hashes = [{ profileKey }, ...people.flatMap(recognitionsOf), ...described.flat()].flatMap(person =>
    recognitionHashes(suppressionKey, person),
  );
  // People whom accounts have imported are deleted by the insert (ADR 0088).
  const imported = await onlyRow(ownPeople.count_recognized_own_people(client, { key_hashes: hashes }));
  await sql.insert_suppressions(client, { key_hashes: hashes, reason, now });
  const stored = await removePeople(
    client,
    people.map(({ person_no }) => person_no),
    now,
  );
  const deleted = stored + imported.people;
  // The profile may have been loaded as a company's.
  await sql.forget_profile_history(client, { profile_key: profileKey });
  await sql.forget_profile_of_company(client, { profile_key: profileKey, now });
  await sql.remove_company(client, { profile_key: profileKey, now });
  for (const key of new Set([profileKey, ...people.map(({ profile_key }) => profile_key)])) {
    for (const trace of traces) {
      await trace.forget(client, { profileKey: key });
    }
  }
  await writePrivacyEvent(client, { kind: 'suppressed', actor, subjectHash, people: deleted, now });
  return { deleted };
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
  const { rows } = await sql.find_person(client, { profile_key: profileKey });
  const [person] = rows;
  if (!person) {
    return [];
  }
  const { rows: colleagues } = await sql.find_colleagues(client, {
    person_no: person.person_no,
    company_no: person.company_no,
    company_names: [person.company_name, person.employer].flatMap(name => name?.toLowerCase() ?? []),
  });
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
  const { subjectHash, ...values } = event;
  await sql.write_privacy_event(client, { ...values, subject_hash: subjectHash });
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
  const { rowCount } = await sql.remove_people(client, { person_nos: personNos, now });
  return rowCount ?? 0;
}
