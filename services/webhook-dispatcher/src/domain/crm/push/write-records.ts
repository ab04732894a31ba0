import type { CrmObject } from '@mailproof/shared-types';
import { type Crm, type RecordWrite, WriteBrokenOff, type WriteResult } from '../crm.ts';
import { CrmFault } from '../crm-fault.ts';

/** What came of writing some records: what is known of each, and what kept the rest from being written. */
export interface WrittenRecords {
  readonly results: readonly WriteResult[];
  /** Nothing is known of the writes without a result: they are to be repeated. */
  readonly fault: CrmFault | undefined;
}

/**
 * Writes records. A call that is refused as a whole is halved until the record is alone that it is refused for, so that
 * one row does not fail ninety-nine others.
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
    const results = error instanceof WriteBrokenOff ? error.results : [];
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
