import type { CrmObject } from '@mailproof/shared-types';
import {
  type Crm,
  CrmFault,
  type FoundRecord,
  type RecordWrite,
  WriteInterrupted,
  type WriteResult,
} from '../crm.ts';

/** The values by which a row's record is searched. */
export interface LookedFor {
  readonly rowNo: number;
  /** The id that an import has stored; such rows are searched only by this id. */
  readonly recordId: string | null;
  readonly ownKey: string | null;
  readonly identifying: string | undefined;
}

export interface FoundForRow {
  readonly record: FoundRecord;
  readonly by: 'record_id' | 'own_key' | 'identifying';
}

interface FindOptions {
  readonly crm: Pick<Crm, 'find'>;
  readonly object: CrmObject;
  readonly properties: readonly string[];
  /** False before the first push, when no record can have one of our keys yet. */
  readonly hasOwnKey: boolean;
  readonly signal: AbortSignal;
}

/**
 * Finds the records of some rows: by record id if given, otherwise first by our key, then by the identifying property.
 */
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

/** The known results of a write, and the fault that prevented the rest from being written. */
interface WrittenRecords {
  readonly results: readonly WriteResult[];
  /** If set, writes without a result have an unknown outcome and have to be repeated. */
  readonly fault: CrmFault | undefined;
}

/**
 * Writes records. A call that is refused as a whole is halved until the faulty record is isolated, so that one row does
 * not fail ninety-nine others.
 */
export async function writeRecords(
  crm: Pick<Crm, 'write'>,
  object: CrmObject,
  writes: readonly RecordWrite[],
  signal: AbortSignal,
): Promise<WrittenRecords> {
  if (writes.length === 0) {
    return { results: [], fault: undefined };
  }
  try {
    return { results: await crm.write(object, writes, signal), fault: undefined };
  } catch (error) {
    if (!(error instanceof CrmFault)) {
      throw error;
    }
    const results = error instanceof WriteInterrupted ? error.results : [];
    if (error.kind !== 'refused') {
      return { results, fault: error };
    }
    if (results.length > 0) {
      const told = new Set(results.map(({ rowNo }) => rowNo));
      const rest = await writeRecords(
        crm,
        object,
        writes.filter(({ rowNo }) => !told.has(rowNo)),
        signal,
      );
      return { results: [...results, ...rest.results], fault: rest.fault };
    }
    const [only] = writes;
    if (writes.length === 1 && only) {
      const fault = { code: 'refused', property: null } as const;
      return {
        results: [{ rowNo: only.rowNo, outcome: 'failed', fault, isTransient: false }],
        fault: undefined,
      };
    }
  }
  const middle = Math.ceil(writes.length / 2);
  const first = await writeRecords(crm, object, writes.slice(0, middle), signal);
  if (first.fault) {
    return first;
  }
  const second = await writeRecords(crm, object, writes.slice(middle), signal);
  return { results: [...first.results, ...second.results], fault: second.fault };
}
