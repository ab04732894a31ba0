import type { CrmObject } from '@mailproof/shared-types';
import type { Crm, FoundRecord } from '../crm.ts';

/** What a row's record is looked for by. */
export interface LookedFor {
  readonly rowNo: number;
  /** What an import brought along; such rows are looked for by it alone. */
  readonly recordId: string | null;
  readonly ownKey: string | null;
  readonly identifying: string | undefined;
}

export interface FoundForRow {
  readonly record: FoundRecord;
  readonly by: 'record_id' | 'own_key' | 'identifying';
}

export interface FindOptions {
  readonly crm: Pick<Crm, 'find'>;
  readonly object: CrmObject;
  readonly properties: readonly string[];
  /** False before the first push, when no record can have a key of ours yet. */
  readonly hasOwnKey: boolean;
  readonly signal: AbortSignal;
}

/** The records of some rows: by our key first, and those that are not ours by what tells records apart. */
export async function findRecords(
  { crm, object, properties, hasOwnKey, signal }: FindOptions,
  rows: readonly LookedFor[],
): Promise<ReadonlyMap<number, FoundForRow>> {
  const found = new Map<number, FoundForRow>();

  async function look(
    by: FoundForRow['by'],
    keyOf: (row: LookedFor) => string | null | undefined,
  ): Promise<void> {
    const asked = rows.flatMap(row => {
      const value = found.has(row.rowNo) ? undefined : keyOf(row);
      return value === null || value === undefined ? [] : [{ rowNo: row.rowNo, value }];
    });
    const values = [...new Set(asked.map(({ value }) => value))];
    if (values.length === 0) {
      return;
    }
    const records = await crm.find(object, by, values, properties, signal);
    const byValue = new Map(records.map(record => [record.foundBy, record]));
    for (const { rowNo, value } of asked) {
      const record = byValue.get(value);
      if (record) {
        found.set(rowNo, { record, by });
      }
    }
  }

  await look('record_id', row => row.recordId);
  if (hasOwnKey) {
    await look('own_key', row => (row.recordId === null ? row.ownKey : null));
  }
  await look('identifying', row => (row.recordId === null ? row.identifying : null));
  return found;
}
