import type { CrmObject, CrmProperty, CrmProvider } from '@mailproof/shared-types';
import {
  type Crm,
  type CrmFault,
  type CrmValue,
  type FoundRecord,
  ownKeyProperty,
  type RecordWrite,
  recordsPerCallMax,
  type WriteResult,
} from '../crm.ts';

/** A stored record. */
export interface KeptRecord {
  readonly recordId: string;
  readonly values: Record<string, CrmValue>;
}

/** The kind of call, for a test that injects faults. */
export type KeptCall = 'properties' | 'find' | 'write' | 'remove' | 'ensureOwnKey';

/**
 * A CRM that keeps records of one kind in memory, with faults that a test injects. Methods that pushes do not use
 * throw.
 */
export interface KeptCrm extends Crm {
  readonly records: Map<string, KeptRecord>;
  readonly calls: { readonly call: KeptCall; readonly size: number }[];
  /** Called before each call, and again after a completed write. */
  fails: (call: KeptCall, moment: 'before' | 'after', writes: readonly RecordWrite[]) => CrmFault | undefined;
  /** Returns the failure of a record that is refused. */
  refuses: (write: RecordWrite) => Extract<WriteResult, { outcome: 'failed' }> | undefined;
  /** Records that were merged into others. */
  readonly merged: Map<string, string>;
  add(values: Record<string, CrmValue>): KeptRecord;
}

export function property(name: string, more: Partial<CrmProperty> = {}): CrmProperty {
  return {
    name,
    label: name,
    type: 'text',
    choices: [],
    characters_max: null,
    is_writable: true,
    is_required: false,
    is_unique: false,
    ...more,
  };
}

export function createKeptCrm(
  properties: readonly CrmProperty[],
  options: { readonly provider?: CrmProvider; readonly identifying?: 'email' | 'domain' } = {},
): KeptCrm {
  const { provider = 'hubspot', identifying = 'email' } = options;
  const records = new Map<string, KeptRecord>();
  const merged = new Map<string, string>();
  const calls: KeptCrm['calls'] = [];
  const known = [...properties];
  let lastNo = 100;
  const same = (a: CrmValue | undefined, b: string) =>
    a !== undefined && a !== null && String(a).toLowerCase() === b.toLowerCase();
  const having = (name: string, value: string) =>
    [...records.values()].find(({ values }) => same(values[name], value));

  const crm: KeptCrm = {
    provider,
    records,
    merged,
    calls,
    fails: () => undefined,
    refuses: () => undefined,
    add(values) {
      lastNo += 1;
      const record = { recordId: String(lastNo), values: { ...values } };
      records.set(record.recordId, record);
      return record;
    },
    identifyingProperty: () => ({ property: identifying, kind: identifying }),
    async properties(_object: CrmObject) {
      note('properties', 0);
      return known;
    },
    async ensureOwnKey() {
      note('ensureOwnKey', 0);
      if (!known.some(({ name }) => name === ownKeyProperty)) {
        known.push(property(ownKeyProperty, { is_unique: true }));
      }
    },
    async find(_object, by, values, names) {
      note('find', values.length);
      if (by === 'own_key' && !known.some(({ name }) => name === ownKeyProperty)) {
        throw new Error('Nobody looks for a property that is not there.');
      }
      return values.flatMap((value): FoundRecord[] => {
        const found =
          by === 'record_id'
            ? records.get(merged.get(value) ?? value)
            : having(by === 'own_key' ? ownKeyProperty : identifying, value);
        const read = names.map(name => [name, found?.values[name] ?? null] as const);
        return found ? [{ recordId: found.recordId, foundBy: value, values: Object.fromEntries(read) }] : [];
      });
    },
    async write(_object, writes) {
      note('write', writes.length, writes);
      const results = writes.map(writeOne);
      const fault = crm.fails('write', 'after', writes);
      if (fault) {
        throw fault;
      }
      return results;
    },
    async remove(_object, recordIds) {
      note('remove', recordIds.length);
      return recordIds.map(recordId => {
        records.delete(recordId);
        return { recordId, outcome: 'removed' as const };
      });
    },
    segments: () => Promise.reject(new Error('A push asks for no segments.')),
    ensureProperties: () => Promise.reject(new Error('A push creates no properties for results.')),
    count: () => Promise.reject(new Error('A push counts no records.')),
    page: () => Promise.reject(new Error('A push reads no pages.')),
  };

  function note(call: KeptCall, size: number, writes: readonly RecordWrite[] = []): void {
    calls.push({ call, size });
    if (size > recordsPerCallMax) {
      throw new Error(`${call} takes ${recordsPerCallMax} records.`);
    }
    const fault = crm.fails(call, 'before', writes);
    if (fault) {
      throw fault;
    }
  }

  function writeOne(write: RecordWrite): WriteResult {
    const { rowNo, recordId, ownKey, values } = write;
    const refused = crm.refuses(write);
    if (refused) {
      return refused;
    }
    const there = recordId === null ? having(ownKeyProperty, ownKey) : records.get(recordId);
    const value = values[identifying];
    const other = value === undefined || value === null ? undefined : having(identifying, String(value));
    if (other && other !== there) {
      const fault = { code: 'duplicate', property: identifying } as const;
      return { rowNo, outcome: 'failed', fault, isTransient: false };
    }
    if (recordId !== null && !there) {
      return { rowNo, outcome: 'failed', fault: { code: 'gone', property: null }, isTransient: false };
    }
    if (there) {
      Object.assign(there.values, values);
      return { rowNo, outcome: 'updated', recordId: there.recordId };
    }
    const created = crm.add({ ...values, [ownKeyProperty]: ownKey });
    return { rowNo, outcome: 'created', recordId: created.recordId };
  }

  return crm;
}
