import {
  type AccountId,
  countNoOutcomes,
  type OutcomeKind,
  type OutcomeRefusal,
  type OutcomeReport,
  outcomeRefusals,
  parseEmailAddress,
  type ReportedOutcome,
} from '@mailproof/shared-types';
import { judgeOutcome } from './judge-outcome.ts';
import type { Outcome, OutcomeStore } from './outcome-store.ts';
import { patternClassOf } from './pattern-class.ts';

export interface RecordPorts {
  readonly outcomes: Pick<OutcomeStore, 'record'>;
  /** Local parts that belong to functions, in lower case. */
  readonly roles: ReadonlySet<string>;
  readonly nowMs: () => number;
}

const dayMs = 86_400_000;
/** Clocks and time zones differ: a date alone may be tomorrow's where it was written. */
const futureMsMax = dayMs;

/** Judges reported outcomes and keeps them; a row that cannot be kept is refused by itself. */
export async function recordReportedOutcomes(
  ports: RecordPorts,
  retentionDays: number,
  accountId: AccountId,
  reported: readonly ReportedOutcome[],
): Promise<OutcomeReport> {
  const nowMs = ports.nowMs();
  const judged = reported.map(row => judgeRow(row, ports.roles, nowMs, retentionDays * dayMs));
  const outcomes = judged.flatMap(row => ('kind' in row ? [row] : []));
  const recorded = outcomes.length === 0 ? 0 : await ports.outcomes.record(accountId, outcomes);
  return {
    recorded,
    repeated: outcomes.length - recorded,
    kinds: countKinds(outcomes),
    refused: judged.flatMap((row, index) => ('refusal' in row ? [{ row: index, ...row.refusal }] : [])),
  };
}

type Judged = Outcome | { readonly refusal: { readonly reason: OutcomeRefusal; readonly detail: string } };

function judgeRow(
  row: ReportedOutcome,
  roles: ReadonlySet<string>,
  nowMs: number,
  retentionMs: number,
): Judged {
  const parsed = parseEmailAddress(row.email);
  if (!parsed.ok) {
    return { refusal: { reason: 'invalid_email_address', detail: parsed.fault.message } };
  }
  const observedAtMs = Date.parse(row.observedAt);
  if (observedAtMs > nowMs + futureMsMax) {
    return refuse('in_the_future');
  }
  if (observedAtMs < nowMs - retentionMs) {
    return refuse('too_old');
  }
  return {
    email: parsed.value,
    kind: judgeOutcome(row),
    patternClass: patternClassOf(parsed.value, roles),
    observedAtMs,
  };
}

function refuse(reason: OutcomeRefusal): Judged {
  return { refusal: { reason, detail: outcomeRefusals[reason] } };
}

function countKinds(outcomes: readonly Outcome[]): Record<OutcomeKind, number> {
  const counts = countNoOutcomes();
  for (const { kind } of outcomes) {
    counts[kind] += 1;
  }
  return counts;
}
