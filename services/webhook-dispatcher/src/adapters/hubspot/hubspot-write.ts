import type { CrmObject } from '@mailproof/shared-types';
import {
  CrmFault,
  ownKeyProperty,
  type RecordWrite,
  type RemoveResult,
  recordsPerCallMax,
  WriteInterrupted,
  type WriteResult,
} from '../../domain/crm/crm.ts';
import { type HubSpotClient, listed } from './hubspot-client.ts';
import { HubSpotRefusal, type RecordFault, recordFaultOf } from './hubspot-faults.ts';
import { type HubSpotObject, hubSpotObject, textsOf } from './hubspot-objects.ts';

/**
 * Updates records with an id, and creates or updates the others by our key. If each record of a batch has a trace id,
 * HubSpot processes the valid records and reports which ones it rejected.
 */
export async function writeRecords(
  client: HubSpotClient,
  object: CrmObject,
  writes: readonly RecordWrite[],
  signal: AbortSignal,
): Promise<readonly WriteResult[]> {
  const kind = hubSpotObject(object);
  const send: Record<'update' | 'upsert', SendBatch> = {
    update: batch => updateBatch(client, kind, batch, signal),
    upsert: batch => upsertBatch(client, kind, batch, signal),
  };
  const results: WriteResult[] = [];
  const known = batches(
    writes.filter(({ recordId }) => recordId !== null),
    ({ recordId }) => recordId ?? '',
  );
  const others = batches(
    writes.filter(({ recordId }) => recordId === null),
    ({ ownKey }) => ownKey,
  );
  const work = [
    ...known.map(batch => ({ batch, by: send.update })),
    ...others.map(batch => ({ batch, by: send.upsert })),
  ];
  for (const { batch, by } of work) {
    try {
      await sendBatch(batch, by, results);
    } catch (error) {
      // The caller has to know which records were created, so the results so far are thrown with the fault.
      throw error instanceof CrmFault && results.length > 0 ? new WriteInterrupted(error, results) : error;
    }
  }
  return results;
}

/** Moves records to HubSpot's recycle bin; HubSpot ignores ids that do not exist. */
export async function removeRecords(
  client: HubSpotClient,
  object: CrmObject,
  recordIds: readonly string[],
  signal: AbortSignal,
): Promise<readonly RemoveResult[]> {
  const { type } = hubSpotObject(object);
  const ids = [...new Set(recordIds)];
  for (let from = 0; from < ids.length; from += recordsPerCallMax) {
    const inputs = ids.slice(from, from + recordsPerCallMax).map(id => ({ id }));
    await client.objects(({ batch }) => batch.archive(type, { inputs }), signal);
  }
  return recordIds.map(recordId => ({ recordId, outcome: 'removed' }));
}

type SendBatch = (batch: readonly RecordWrite[]) => Promise<readonly WriteResult[]>;

const tryAgain: RecordFault = { fault: { code: 'refused', property: null }, isTransient: true };
const gone: RecordFault = { fault: { code: 'gone', property: null }, isTransient: false };

/**
 * Some faults make HubSpot refuse a whole batch. If HubSpot names the property, the records that have it fail;
 * otherwise the batch is halved until the faulty records are isolated.
 */
async function sendBatch(
  batch: readonly RecordWrite[],
  send: SendBatch,
  results: WriteResult[],
): Promise<void> {
  if (batch.length === 0) {
    return;
  }
  let refusal: RecordFault;
  try {
    results.push(...(await send(batch)));
    return;
  } catch (error) {
    if (!(error instanceof HubSpotRefusal)) {
      throw error;
    }
    refusal = error.recordFault;
  }
  const { code, property } = refusal.fault;
  const isOfProperty = (code === 'no_such_property' || code === 'not_permitted') && property !== null;
  const atFault = isOfProperty ? batch.filter(({ values }) => property in values) : [];
  if (batch.length === 1 || atFault.length === batch.length) {
    results.push(...batch.map(each => failed(each, refusal)));
  } else if (atFault.length > 0) {
    results.push(...atFault.map(each => failed(each, refusal)));
    const others = batch.filter(each => !atFault.includes(each));
    await sendBatch(others, send, results);
  } else {
    const middle = Math.ceil(batch.length / 2);
    await sendBatch(batch.slice(0, middle), send, results);
    await sendBatch(batch.slice(middle), send, results);
  }
}

async function updateBatch(
  client: HubSpotClient,
  { type }: HubSpotObject,
  batch: readonly RecordWrite[],
  signal: AbortSignal,
): Promise<readonly WriteResult[]> {
  const inputs = batch.map(({ rowNo, recordId, values }) => ({
    id: recordId ?? '',
    objectWriteTraceId: String(rowNo),
    properties: textsOf(values),
  }));
  const answer = await client.objects(({ batch: api }) => api.update(type, { inputs }), signal);
  const updated = new Map(
    listed(answer.results).map(({ id, objectWriteTraceId }) => [objectWriteTraceId ?? id, id]),
  );
  const faults = faultsByTrace(answer);
  return batch.map(each => {
    const { rowNo, recordId } = each;
    const id = updated.get(String(rowNo)) ?? (updated.has(recordId ?? '') ? (recordId ?? '') : undefined);
    const fault = faults.get(String(rowNo)) ?? faults.get(recordId ?? '');
    // A record that was merged into another is in neither list.
    return id !== undefined && fault === undefined
      ? { rowNo, outcome: 'updated', recordId: id }
      : failed(each, fault ?? gone);
  });
}

async function upsertBatch(
  client: HubSpotClient,
  { type }: HubSpotObject,
  batch: readonly RecordWrite[],
  signal: AbortSignal,
): Promise<readonly WriteResult[]> {
  const inputs = batch.map(({ rowNo, ownKey, values }) => ({
    id: ownKey,
    idProperty: ownKeyProperty,
    objectWriteTraceId: String(rowNo),
    properties: { ...textsOf(values), [ownKeyProperty]: ownKey },
  }));
  const answer = await client.objects(({ batch: api }) => api.upsert(type, { inputs }), signal);
  const written = new Map(
    listed(answer.results).map(result => [
      result.objectWriteTraceId ?? result.properties[ownKeyProperty] ?? '',
      result,
    ]),
  );
  const faults = faultsByTrace(answer);
  return batch.map(each => {
    const { rowNo, ownKey } = each;
    const result = written.get(String(rowNo)) ?? written.get(ownKey);
    return result === undefined
      ? failed(each, faults.get(String(rowNo)) ?? faults.get(ownKey) ?? tryAgain)
      : { rowNo, outcome: result._new ? 'created' : 'updated', recordId: result.id };
  });
}

/** The faults of an answer, by the trace ids, or else the ids, of their records. */
function faultsByTrace(answer: object): ReadonlyMap<string, RecordFault> {
  const faults = new Map<string, RecordFault>();
  const errors: readonly { readonly context?: Readonly<Record<string, readonly string[]>> }[] =
    'errors' in answer && Array.isArray(answer.errors) ? answer.errors : [];
  for (const error of errors) {
    const { objectWriteTraceId = [], ids = [] } = error.context ?? {};
    const fault = recordFaultOf(error);
    for (const id of [...objectWriteTraceId, ...(objectWriteTraceId.length === 0 ? ids : [])]) {
      faults.set(id, fault);
    }
  }
  return faults;
}

function failed({ rowNo }: RecordWrite, { fault, isTransient }: RecordFault): WriteResult {
  return { rowNo, outcome: 'failed', fault, isTransient };
}

/** Splits writes into batches without duplicate ids, because HubSpot refuses a whole batch with duplicates. */
function batches(
  writes: readonly RecordWrite[],
  idOf: (write: RecordWrite) => string,
): readonly (readonly RecordWrite[])[] {
  const made: { readonly ids: Set<string>; readonly writes: RecordWrite[] }[] = [];
  for (const write of writes) {
    const id = idOf(write).toLowerCase();
    let batch = made.find(({ ids }) => ids.size < recordsPerCallMax && !ids.has(id));
    if (batch === undefined) {
      batch = { ids: new Set(), writes: [] };
      made.push(batch);
    }
    batch.ids.add(id);
    batch.writes.push(write);
  }
  return made.map(({ writes: batch }) => batch);
}
