import {
  type CrmAction,
  type CrmOptions,
  type CrmProperty,
  crmOptions,
  type ExportId,
} from '@mailproof/shared-types';
import type { Export, RowOutcome } from '../../exports/export.ts';
import type { BatchResult, LeavingRow, RowDelivery } from '../../exports/row-delivery.ts';
import { type ConnectedCrms, type Crm, CrmFault, recordsPerCallMax } from '../crm.ts';
import { deliverRecords } from './deliver-records.ts';
import { isOwnKey, mappedFields } from './mapping-faults.ts';
import type { CrmOutcomeCounts, CrmPushEvents, CrmRowStore } from './push-ports.ts';
import { attemptsMax, batchMsMax, type CrmTrouble, endOfTrouble } from './push-trouble.ts';

export interface CrmDeliveryOptions {
  readonly connected: ConnectedCrms;
  readonly rows: CrmRowStore;
  readonly events: Pick<CrmPushEvents, 'crmRowsPushed' | 'pushPaused'>;
  readonly now: () => Date;
  readonly random: () => number;
  /** How long a CRM may make one push wait in total, in milliseconds. */
  readonly pausedMsMax: number;
}

/** What a push remembers about its CRM. */
interface PushMemory extends CrmTrouble {
  properties: { readonly known: readonly CrmProperty[]; readonly atMs: number } | undefined;
  /** Whether our property exists for the user who connected the CRM; another user may reconnect it meanwhile. */
  hasOwnKey: boolean;
  /** How many rows in succession were refused and given up, without an accepted row in between. */
  refusedInARow: number;
  /**
   * How often the rows per call were halved because the CRM was unavailable; each successful call undoes one halving.
   */
  halvings: number;
  usedAtMs: number;
}

/** How long properties are cached, and how long the memory of a push is kept, in milliseconds. */
const propertiesMsMax = 300_000;
const memoryMsMax = 900_000;
/** A hundred rows halved this often are one row. */
const halvingsMax = 7;
/**
 * How many rows in succession are refused before the mapping is given up; a single row may be refused for its values.
 */
const refusedInARowMax = 10;

/** Delivers rows as records of a CRM (ADR 0040). */
export function createCrmDelivery(options: CrmDeliveryOptions): RowDelivery {
  const memories = new Map<ExportId, PushMemory>();

  function memoryOf({ exportId }: Export): PushMemory {
    const nowMs = options.now().getTime();
    for (const [id, { usedAtMs }] of memories) {
      if (nowMs - usedAtMs > memoryMsMax) {
        memories.delete(id);
      }
    }
    const memory = memories.get(exportId) ?? {
      unavailableInARow: 0,
      throttledInARow: 0,
      refusedInARow: 0,
      halvings: 0,
      hasOwnKey: false,
      properties: undefined,
      usedAtMs: nowMs,
    };
    memory.usedAtMs = nowMs;
    memories.set(exportId, memory);
    return memory;
  }

  return {
    rowsAtOnce: record => rowsAtOnce(memoryOf(record)),
    async deliverRows(record, rows, signal) {
      const memory = memoryOf(record);
      const settings = crmOptions.parse(record.options);
      const crm = await options.connected.open(record.accountId, settings.connection_id);
      if (!crm) {
        return { outcomes: [], change: {}, failure: 'connection_gone' };
      }
      const result = await deliver(options, { record, settings, crm, memory }, rows, signal);
      options.events.crmRowsPushed(record, countsOf(result.outcomes));
      const { pauseReason, pausedMs } = result.change;
      if (pauseReason) {
        options.events.pushPaused(record, pauseReason, (pausedMs ?? record.pausedMs) - record.pausedMs);
      }
      return result;
    },
    async forget(exportId) {
      memories.delete(exportId);
      await options.rows.forgetMarks(exportId);
    },
  };
}

/**
 * While a CRM is unavailable, it gets smaller and smaller batches. If it is still unavailable for a single row, that
 * counts as an attempt for the row, which must not hold up the others permanently. This does not apply if the CRM does
 * not even return its properties: then it is unavailable for all rows.
 */
function rowsAtOnce({ halvings }: Pick<PushMemory, 'halvings'>): number {
  return Math.max(1, Math.floor(recordsPerCallMax / 2 ** halvings));
}

interface Push {
  readonly record: Export;
  readonly settings: CrmOptions;
  readonly crm: Crm;
  readonly memory: PushMemory;
}

async function deliver(
  options: CrmDeliveryOptions,
  { record, settings, crm, memory }: Push,
  rows: readonly LeavingRow[],
  stopped: AbortSignal,
): Promise<BatchResult> {
  const { now, random, pausedMsMax } = options;
  const outcomes: RowOutcome[] = [];
  const deadline = AbortSignal.timeout(batchMsMax);
  const signal = AbortSignal.any([stopped, deadline]);
  const hadOwnKey = memory.hasOwnKey;
  let isReached = false;
  try {
    if (settings.dry_run !== true && settings.record_id_column === undefined && !hadOwnKey) {
      await crm.ensureOwnKey(settings.object, signal);
      memory.hasOwnKey = true;
    }
    const properties = await propertiesOf(crm, settings, memory, { nowMs: now().getTime(), signal });
    const mapping = mappedFields(settings, properties);
    if (!mapping) {
      return { outcomes, change: {}, failure: 'mapping_not_valid' };
    }
    isReached = true;
    const hasOwnKey = settings.dry_run !== true || properties.some(isOwnKey);
    const batch = { record, settings, crm, mapping, properties, hasOwnKey, rows, now, random, signal };
    const fault = await deliverRecords({ ...batch, store: options.rows }, outcomes);
    noteOutcomes(memory, outcomes);
    if (fault) {
      throw fault;
    }
    memory.unavailableInARow = 0;
    memory.throttledInARow = 0;
    memory.halvings = Math.max(0, memory.halvings - 1);
  } catch (error) {
    const isLate = deadline.aborted && !stopped.aborted;
    const fault = error instanceof CrmFault ? error : isLate ? new CrmFault('away') : undefined;
    if (!fault) {
      throw error;
    }
    memory.properties = undefined;
    if (fault.kind === 'revoked' || fault.kind === 'not_found') {
      memory.hasOwnKey = false;
      if (fault.kind === 'not_found' && hadOwnKey) {
        // Another user, who cannot see our property yet, may have reconnected the CRM; the next batch handles that.
        return { outcomes, change: {} };
      }
    }
    const isStuck = isReached && fault.kind === 'away' && rows.length === 1 && rowsAtOnce(memory) === 1;
    const end = endOfTrouble(record, fault, memory, { nowMs: now().getTime(), pausedMsMax });
    if (fault.kind === 'away') {
      memory.halvings = Math.min(halvingsMax, memory.halvings + 1);
    }
    const [row] = rows;
    return { outcomes: isStuck && row ? [triedInVain(row, now())] : outcomes, ...end };
  }
  return memory.refusedInARow >= refusedInARowMax
    ? { outcomes, change: {}, failure: 'mapping_not_valid' }
    : { outcomes, change: {} };
}

async function propertiesOf(
  crm: Crm,
  { object }: CrmOptions,
  memory: PushMemory,
  { nowMs, signal }: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<readonly CrmProperty[]> {
  if (!memory.properties || nowMs - memory.properties.atMs > propertiesMsMax) {
    memory.properties = { known: await crm.properties(object, signal), atMs: nowMs };
  }
  return memory.properties.known;
}

function noteOutcomes(memory: PushMemory, outcomes: readonly RowOutcome[]): void {
  for (const { state, fault } of outcomes) {
    if (state === 'delivered') {
      memory.refusedInARow = 0;
    } else if (state === 'failed' && (fault === 'crm_refused' || fault === 'crm_not_permitted')) {
      memory.refusedInARow += 1;
    }
  }
}

function triedInVain({ rowNo, attempts: before }: LeavingRow, at: Date): RowOutcome {
  const attempts = before + 1;
  const state = attempts >= attemptsMax ? 'failed' : 'pending';
  return { rowNo, state, attempts, statusCode: null, fault: 'crm_away', retryAt: null, attemptedAt: at };
}

function countsOf(outcomes: readonly RowOutcome[]): CrmOutcomeCounts {
  const count = (holds: (outcome: RowOutcome) => boolean) => outcomes.filter(holds).length;
  const did = (action: CrmAction) => count(each => each.state === 'delivered' && each.action === action);
  return {
    created: did('created'),
    updated: did('updated'),
    skipped: did('skipped'),
    failed: count(each => each.state === 'failed'),
    retried: count(each => each.state === 'pending'),
  };
}
