import { hasEnded, receiptIdOf } from '@mailproof/paid-runs';
import { type DiscoveryRun, runFailures } from '@mailproof/shared-types';
import type { Run } from '../domain/discovery/run.ts';

/** A run as people see it. */
export function runAnswer(run: Run): DiscoveryRun {
  const ended = hasEnded(run);
  const reserved = run.holdId === null && ended ? 0 : run.holdAmount;
  return {
    run_id: run.runId,
    search_id: run.searchId,
    kind: run.kind,
    state: run.state,
    cancel_requested: run.ending === 'cancelled',
    requested: run.requested,
    delivered: run.delivered,
    progress: ended ? 1 : Math.min(1, run.delivered / run.requested),
    ...paceOf(run, ended),
    price: run.price,
    reserved,
    spent: run.spent,
    returned: run.spent === null ? null : reserved - run.spent,
    receipt_id: receiptIdOf(run),
    failure: run.failure === null ? null : { code: run.failure, detail: runFailures[run.failure] },
    list_id: run.listId,
    has_more: run.hasMore,
    created_by: run.createdBy,
    created_at: run.createdAt.toISOString(),
    started_at: run.startedAt?.toISOString() ?? null,
    ended_at: run.endedAt?.toISOString() ?? null,
    version: run.version,
  };
}

/** From the first chunk to the last one that was delivered. */
function paceOf(
  { startedAt, movedAt, delivered, requested }: Run,
  ended: boolean,
): Pick<DiscoveryRun, 'per_second' | 'seconds_left'> {
  const seconds = startedAt === null ? 0 : (movedAt.getTime() - startedAt.getTime()) / 1_000;
  const perSecond = seconds > 0 ? Math.round((delivered / seconds) * 10) / 10 : null;
  const secondsLeft =
    ended || perSecond === null || perSecond === 0 ? null : Math.ceil((requested - delivered) / perSecond);
  return { per_second: perSecond, seconds_left: secondsLeft };
}
