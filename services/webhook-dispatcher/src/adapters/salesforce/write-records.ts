import type { CrmObject } from '@mailproof/shared-types';
import { z } from 'zod';
import {
  CrmFault,
  type CrmRecordFault,
  type RecordWrite,
  type RemoveResult,
  type WriteResult,
} from '../../domain/crm/crm.ts';
import { type Descriptions, type ObjectDescription, ownKeyField } from './object-description.ts';
import { missingOwnKeyAdvice } from './own-key.ts';
import { idKey, isIdOf, writableValue } from './record-values.ts';
import { CallRefused, isTransient, recordFaultOf, type SaveError } from './salesforce-faults.ts';
import type { Call, SalesforceSession } from './salesforce-session.ts';

const errorForm = z
  .object({
    statusCode: z.string().optional(),
    errorCode: z.string().optional(),
    message: z.string().nullish(),
    fields: z.array(z.string()).nullish(),
  })
  .transform(
    ({ statusCode, errorCode, message, fields }): SaveError => ({
      statusCode: statusCode ?? errorCode ?? '',
      message: message ?? '',
      fields: fields ?? [],
    }),
  );

const resultForm = z.object({
  id: z.string().nullish(),
  success: z.boolean(),
  created: z.boolean().nullish(),
  errors: z.array(errorForm),
});

type SaveResult = z.output<typeof resultForm>;

/** A record with the values to send to Salesforce. */
interface Prepared {
  readonly write: RecordWrite;
  readonly values: Readonly<Record<string, unknown>>;
}

interface Writing {
  readonly session: SalesforceSession;
  readonly object: CrmObject;
  readonly described: ObjectDescription;
  readonly signal: AbortSignal;
}

/** Updates the records with an id in one call, and creates the others by their key in another. */
export async function writeRecords(
  session: SalesforceSession,
  descriptions: Descriptions,
  object: CrmObject,
  writes: readonly RecordWrite[],
  signal: AbortSignal,
): Promise<readonly WriteResult[]> {
  const creates = writes.some(({ recordId }) => recordId === null);
  const names = writes.flatMap(({ values }) => Object.keys(values));
  const described = await descriptions.of(object, creates ? [ownKeyField, ...names] : names, signal);
  const writing = { session, object, described, signal };
  const { ready, settled } = prepare(described, writes);
  const updates = ready.filter(({ write }) => write.recordId !== null);
  const upserts = ready.filter(({ write }) => write.recordId === null);
  if (upserts.length > 0 && described.fields.get(ownKeyField)?.externalId !== true) {
    throw new CrmFault('not_found', null, missingOwnKeyAdvice(object));
  }
  const results = [
    ...settled,
    ...(await save(writing, updates, sendUpdates)),
    ...(await save(writing, upserts, sendUpserts)),
  ];
  if (results.some(result => result.outcome === 'failed' && result.fault.code === 'no_such_property')) {
    descriptions.forget(object);
  }
  const positions = new Map(writes.map(({ rowNo }, index) => [rowNo, index]));
  return results.toSorted(
    (one, other) => (positions.get(one.rowNo) ?? 0) - (positions.get(other.rowNo) ?? 0),
  );
}

/**
 * Separates records that can be sent from those that cannot, because a value is invalid or the call already has the
 * record.
 */
function prepare(described: ObjectDescription, writes: readonly RecordWrite[]) {
  const ready: Prepared[] = [];
  const settled: WriteResult[] = [];
  const seen = new Set<string>();
  for (const write of writes) {
    const prepared = prepareOne(described, write);
    const key = write.recordId === null ? `key ${write.ownKey.toLowerCase()}` : `id ${idKey(write.recordId)}`;
    if ('code' in prepared) {
      settled.push(failedWrite(write, prepared));
    } else if (seen.has(key)) {
      // Salesforce would reject both; after the first one is written, the second can be retried as an update.
      settled.push(failedWrite(write, { code: 'locked', property: null }, true));
    } else {
      seen.add(key);
      ready.push({ write, values: prepared.values });
    }
  }
  return { ready, settled };
}

function prepareOne(
  { keyPrefix, fields }: ObjectDescription,
  { recordId, ownKey, values }: RecordWrite,
): CrmRecordFault | { readonly values: Record<string, unknown> } {
  if (recordId !== null && !isIdOf(keyPrefix, recordId)) {
    return { code: 'gone', property: null };
  }
  if (recordId === null && (ownKey === '' || ownKey.length > 255)) {
    return { code: 'missing_value', property: ownKeyField };
  }
  const prepared: Record<string, unknown> = {};
  for (const [property, value] of Object.entries(values)) {
    const field = fields.get(property);
    const writable = field
      ? writableValue(field, value)
      : ({ kind: 'fault', code: 'no_such_property' } as const);
    if (writable.kind === 'fault') {
      return { code: writable.code, property };
    }
    if (writable.kind === 'value') {
      prepared[property] = writable.value;
    }
  }
  return { values: prepared };
}

type Send = (writing: Writing, prepared: readonly Prepared[]) => Call<unknown>;

const sendUpdates: Send =
  ({ described }, prepared) =>
  connection =>
    connection.update(
      described.name,
      prepared.map(({ write, values }) => ({ ...values, Id: write.recordId ?? '' })),
      { allOrNone: false },
    );

const sendUpserts: Send =
  ({ described }, prepared) =>
  connection =>
    connection.upsert(
      described.name,
      prepared.map(({ write, values }) => ({ ...values, [ownKeyField]: write.ownKey })),
      ownKeyField,
      { allOrNone: false },
    );

/**
 * Sends records. A call that is refused as a whole is sent again in halves, down to the record at fault. For a hundred
 * records this takes at most 199 calls, and it rarely happens, since values are checked before.
 */
async function save(
  writing: Writing,
  prepared: readonly Prepared[],
  send: Send,
): Promise<readonly WriteResult[]> {
  if (prepared.length === 0) {
    return [];
  }
  try {
    const results = await writing.session.call(writing.signal, async connection =>
      z
        .array(resultForm)
        .length(prepared.length)
        .parse(await send(writing, prepared)(connection)),
    );
    return prepared.map(({ write }, index) => resultOf(write, results[index]));
  } catch (error) {
    if (!(error instanceof CallRefused)) {
      throw error;
    }
    const [first] = prepared;
    if (first !== undefined && prepared.length === 1) {
      const refusal = { statusCode: error.errorCode, message: '', fields: [] };
      return [failedWrite(first.write, recordFaultOf(refusal))];
    }
  }
  const half = Math.ceil(prepared.length / 2);
  return [
    ...(await save(writing, prepared.slice(0, half), send)),
    ...(await save(writing, prepared.slice(half), send)),
  ];
}

function resultOf(write: RecordWrite, result: SaveResult | undefined): WriteResult {
  const recordId = result?.id ?? write.recordId;
  if (result?.success && recordId) {
    const outcome = write.recordId === null && result.created === true ? 'created' : 'updated';
    return { rowNo: write.rowNo, outcome, recordId };
  }
  const [error] = result?.errors ?? [];
  return error
    ? failedWrite(write, recordFaultOf(error), isTransient(error, ownKeyField))
    : failedWrite(write, { code: 'refused', property: null });
}

function failedWrite({ rowNo }: RecordWrite, fault: CrmRecordFault, isTransient = false): WriteResult {
  return { rowNo, outcome: 'failed', fault, isTransient };
}

/** Moves records to the recycle bin in one call. */
export async function removeRecords(
  session: SalesforceSession,
  { name, keyPrefix }: Pick<ObjectDescription, 'name' | 'keyPrefix'>,
  recordIds: readonly string[],
  signal: AbortSignal,
): Promise<readonly RemoveResult[]> {
  const ids = [...new Set(recordIds.filter(id => isIdOf(keyPrefix, id)))];
  const results =
    ids.length === 0
      ? []
      : await session.call(signal, async connection =>
          z
            .array(resultForm)
            .length(ids.length)
            .parse(await connection.destroy(name, ids, { allOrNone: false })),
        );
  return recordIds.map(recordId => {
    const result = results[ids.indexOf(recordId)];
    const [error] = result?.errors ?? [];
    const fault = error && !result?.success ? recordFaultOf(error) : null;
    // A text that is not an id of this kind of record counts as removed.
    return result === undefined || fault === null || fault.code === 'gone'
      ? { recordId, outcome: 'removed' }
      : { recordId, outcome: 'failed', fault };
  });
}
