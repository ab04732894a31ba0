import type { PoolClient } from 'pg';
import {
  type Dependents,
  type Fields,
  isBlank,
  type KeptRecord,
  type LoadOrder,
  merge,
} from '../../../domain/profile-store/merge.ts';
import { sql } from '../profiles.sql.ts';
import { readLoads } from './loads.ts';

/** The keys of a record in the table, in addition to its fields. */
export type Keys = Readonly<Record<string, string | null>>;

/** A record as it is, or will be, in the table. */
export interface Entry {
  /** Null until it is inserted. */
  no: number | null;
  readonly isSynthetic: boolean;
  keys: Keys;
  fields: Fields;
  sourceId: number;
  fieldSources: Readonly<Record<string, number>>;
  /** Whether a visible value has changed, or only its source. */
  isChanged: boolean;
  isConfirmed: boolean;
}

interface HistoryRow {
  readonly entry: Entry;
  readonly field: string;
  readonly value: unknown;
  readonly sourceId: number;
}

/** The table that a batch writes to. */
export interface RecordTable {
  readonly name: 'company' | 'person';
  readonly noColumn: 'company_no' | 'person_no';
  readonly idColumn: 'company_id' | 'person_id';
  readonly keyColumns: readonly string[];
  readonly fieldColumns: readonly string[];
  readonly dependents: Dependents;
  readonly newId: () => string;
}

/** A row as JSON from Postgres, in which bigints are numbers. */
export type Row = Readonly<Record<string, unknown>>;

/** The records that a batch touches, merged in memory and written at the end. */
export class RecordBatch {
  readonly entries: Entry[] = [];
  private readonly history: HistoryRow[] = [];
  private loads: Map<number, LoadOrder> = new Map();
  private readonly client: PoolClient;
  private readonly table: RecordTable;
  private readonly load: LoadOrder;
  private readonly now: Date;

  constructor(client: PoolClient, table: RecordTable, load: LoadOrder, now: Date) {
    this.client = client;
    this.table = table;
    this.load = load;
    this.now = now;
  }

  /** Reads the records with one of these keys. */
  async read(wanted: Readonly<Record<string, readonly string[]>>): Promise<Entry[]> {
    const { name, noColumn, keyColumns, fieldColumns } = this.table;
    const columns = [noColumn, ...keyColumns, ...fieldColumns, 'is_synthetic', 'source_id', 'field_sources'];
    const where = Object.keys(wanted).map((column, index) => `${column} = ANY ($${index + 1})`);
    const { rows } = await this.client.query<{ row: Row }>(
      `SELECT row_to_json(kept) AS row
       FROM (SELECT ${columns.join(', ')} FROM ${name} WHERE ${where.join(' OR ')}) AS kept`,
      Object.values(wanted),
    );
    const read = rows.map(({ row }) => this.entryOf(row));
    this.entries.push(...read);
    const ids = read.flatMap(({ sourceId, fieldSources }) => [sourceId, ...Object.values(fieldSources)]);
    this.loads = await readLoads(this.client, ids);
    return read;
  }

  add(keys: Keys, fields: Fields, isSynthetic: boolean): Entry {
    const entry: Entry = {
      no: null,
      isSynthetic,
      keys,
      fields,
      sourceId: this.load.sourceId,
      fieldSources: {},
      isChanged: false,
      isConfirmed: false,
    };
    this.entries.push(entry);
    return entry;
  }

  /** Merges the load's fields into a record; returns whether it changed. */
  merge(entry: Entry, said: Fields): boolean {
    const kept: KeptRecord = {
      fields: entry.fields,
      sourceOf: field => this.loads.get(entry.fieldSources[field] ?? entry.sourceId) ?? this.load,
    };
    const merged = merge(kept, said, this.load, this.table.dependents);
    if (!merged.isChanged && !merged.isConfirmed) {
      return false;
    }
    entry.fields = merged.fields;
    this.nameSources(entry, merged.sources);
    entry.isChanged ||= merged.isChanged;
    entry.isConfirmed ||= merged.isConfirmed;
    if (entry.no !== null) {
      for (const { field, value, sourceId } of merged.overwritten) {
        this.history.push({ entry, field, value, sourceId });
      }
    }
    return merged.isChanged;
  }

  /** Writes all records and assigns numbers to new ones. */
  async write(): Promise<void> {
    const kept = this.entries.filter(({ no }) => no !== null);
    await this.insert(this.entries.filter(({ no }) => no === null));
    await this.update(kept.filter(({ isChanged }) => isChanged));
    await this.rename(kept.filter(({ isChanged, isConfirmed }) => isConfirmed && !isChanged));
    await this.writeHistory();
  }

  private async insert(fresh: readonly Entry[]): Promise<void> {
    if (fresh.length === 0) {
      return;
    }
    const { name, noColumn, idColumn, keyColumns, fieldColumns } = this.table;
    const columns = [idColumn, ...keyColumns, ...fieldColumns];
    const kept = [...columns, 'is_synthetic', 'source_id', 'field_sources'].join(', ');
    const ids = fresh.map(() => this.table.newId());
    const { rows } = await this.client.query<{ id: string; no: number }>(
      `INSERT INTO ${name} (${kept}, created_at, updated_at)
       SELECT ${kept}, $2, $2 FROM json_populate_recordset(NULL::${name}, $1)
       RETURNING ${idColumn} AS id, ${noColumn} AS no`,
      [JSON.stringify(fresh.map((entry, index) => ({ ...rowOf(entry), [idColumn]: ids[index] }))), this.now],
    );
    const numbers = new Map(rows.map(({ id, no }) => [id, no]));
    for (const [index, entry] of fresh.entries()) {
      entry.no = numbers.get(ids[index] ?? '') ?? null;
    }
  }

  private async update(changed: readonly Entry[]): Promise<void> {
    if (changed.length === 0) {
      return;
    }
    const { name, noColumn, keyColumns, fieldColumns } = this.table;
    const columns = [...keyColumns, ...fieldColumns, 'source_id', 'field_sources'];
    await this.client.query(
      `UPDATE ${name} AS kept
       SET ${columns.map(column => `${column} = said.${column}`).join(', ')},
         change_no = nextval('record_change_no'), updated_at = $2
       FROM json_populate_recordset(NULL::${name}, $1) AS said
       WHERE kept.${noColumn} = said.${noColumn}`,
      [JSON.stringify(changed.map(entry => ({ ...rowOf(entry), [noColumn]: entry.no }))), this.now],
    );
  }

  /** In-memory copies do not hold the sources of fields, so this is not recorded as a change. */
  private async rename(confirmed: readonly Entry[]): Promise<void> {
    if (confirmed.length === 0) {
      return;
    }
    const { name, noColumn } = this.table;
    await this.client.query(
      `UPDATE ${name} AS kept SET source_id = said.source_id, field_sources = said.field_sources
       FROM json_populate_recordset(NULL::${name}, $1) AS said
       WHERE kept.${noColumn} = said.${noColumn}`,
      [
        JSON.stringify(
          confirmed.map(({ no, sourceId, fieldSources }) => ({
            [noColumn]: no,
            source_id: sourceId,
            field_sources: fieldSources,
          })),
        ),
      ],
    );
  }

  private async writeHistory(): Promise<void> {
    if (this.history.length === 0) {
      return;
    }
    const { noColumn } = this.table;
    const rows = this.history.map(({ entry, field, value, sourceId }) => ({
      [noColumn]: entry.no,
      field,
      value,
      source_id: sourceId,
    }));
    await sql.write_history(this.client, { rows: JSON.stringify(rows), now: this.now });
  }

  private entryOf(row: Row): Entry {
    const { noColumn, keyColumns, fieldColumns } = this.table;
    return {
      no: row[noColumn] as number,
      isSynthetic: row['is_synthetic'] as boolean,
      keys: pick(row, keyColumns) as Keys,
      fields: pick(row, fieldColumns) as Fields,
      sourceId: row['source_id'] as number,
      fieldSources: row['field_sources'] as Record<string, number>,
      isChanged: false,
      isConfirmed: false,
    };
  }

  /** The load of most fields becomes the record's source; the other fields name theirs. */
  private nameSources(entry: Entry, sources: Readonly<Record<string, number>>): void {
    const counts = new Map<number, number>();
    for (const id of Object.values(sources)) {
      counts.set(id, (counts.get(id) ?? 0) + 1);
    }
    const [most] = [...counts].sort(([a, some], [b, others]) => others - some || b - a)[0] ?? [];
    entry.sourceId = most ?? entry.sourceId;
    entry.fieldSources = Object.fromEntries(
      Object.entries(sources).filter(([, id]) => id !== entry.sourceId),
    );
    this.loads.set(this.load.sourceId, this.load);
  }
}

function rowOf({ keys, fields, isSynthetic, sourceId, fieldSources }: Entry): Row {
  return { ...keys, ...fields, is_synthetic: isSynthetic, source_id: sourceId, field_sources: fieldSources };
}

function pick(row: Row, columns: readonly string[]): Row {
  return Object.fromEntries(columns.map(column => [column, row[column] ?? null]));
}

/** Returns a record's fields keyed by column name. */
export function fieldsOf<Record_ extends object>(
  record: Record_,
  columns: Readonly<Partial<Record<keyof Record_, string>>>,
): Fields {
  const fields: Record<string, Fields[string]> = {};
  for (const [key, column] of Object.entries(columns) as [keyof Record_, string][]) {
    const value = record[key] as Fields[string];
    fields[column] = isBlank(value) && !Array.isArray(value) ? null : value;
  }
  return fields;
}
