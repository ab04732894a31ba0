import type { PoolClient } from 'pg';
import type { KeptField, KeptSource, Subject } from '../../../domain/privacy/subjects.ts';
import { type FieldValue, isBlank } from '../../../domain/profile-store/merge.ts';
import { personColumns } from '../../../domain/profile-store/profile-records.ts';

interface SubjectRow {
  readonly person: Readonly<Record<string, unknown>>;
  readonly person_no: number;
  readonly person_id: string;
  readonly is_synthetic: boolean;
  readonly source_id: number;
  readonly field_sources: Readonly<Record<string, number>>;
  readonly company_domain: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly accounts: number;
  readonly lists: number;
}

interface HistoryRow {
  readonly field: string;
  readonly old_value: unknown;
  readonly old_source_id: number;
  readonly changed_at: Date;
}

interface SourceRow {
  readonly source_id: number;
  readonly kind: string;
  readonly name: string;
  readonly licence: string;
  readonly retrieved_on: string;
}

const dayMs = 86_400_000;

const read = `
  SELECT to_json(person) AS person, person_no, person_id, person.is_synthetic, person.source_id,
    person.field_sources, company.domain AS company_domain, person.created_at, person.updated_at,
    (SELECT count(*)::integer FROM saved_person saved WHERE saved.person_no = person.person_no) AS accounts,
    (SELECT count(*)::integer FROM saved_list_entry entry WHERE entry.person_no = person.person_no) AS lists
  FROM person LEFT JOIN company USING (company_no)
  WHERE person.profile_key = $1`;

/** Reads everything stored about the person with this profile. */
export async function readSubject(
  client: PoolClient,
  profileKey: string,
  retentionDays: number,
): Promise<Subject | undefined> {
  const { rows } = await client.query<SubjectRow>(read, [profileKey]);
  const [row] = rows;
  if (!row) {
    return undefined;
  }
  const { rows: history } = await client.query<HistoryRow>(
    `SELECT field, old_value, old_source_id, changed_at FROM record_history
     WHERE person_no = $1 ORDER BY history_id`,
    [row.person_no],
  );
  const ids = [
    row.source_id,
    ...Object.values(row.field_sources),
    ...history.map(({ old_source_id }) => old_source_id),
  ];
  const sources = await readSources(client, ids);
  const sourceOf = (id: number): KeptSource => {
    const source = sources.get(id);
    if (!source) {
      throw new Error(`A field comes from the source ${id}, which is not there.`);
    }
    return source;
  };
  return {
    personId: row.person_id,
    profileUrl: String(row.person['profile_url']),
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
  const { person, field_sources: apart, source_id: usual, company_domain: domain } = row;
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
  const { rows } = await client.query<SourceRow>(
    'SELECT source_id, kind, name, licence, retrieved_on::text FROM source WHERE source_id = ANY ($1)',
    [ids],
  );
  return new Map(
    rows.map(({ source_id, kind, name, licence, retrieved_on }) => [
      source_id,
      { kind, name, licence, retrievedOn: retrieved_on },
    ]),
  );
}
