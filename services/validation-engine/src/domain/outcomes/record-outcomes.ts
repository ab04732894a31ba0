import {
  countNoOutcomes,
  isSandboxAccount,
  type OutcomeKind,
  type OutcomeRefusal,
  type OutcomeReport,
  type OutcomeReportId,
  outcomeRefusals,
  parseEmailAddress,
  type ReportedOutcome,
} from '@mailproof/shared-types';
import { judgeOutcome } from './judge-outcome.ts';
import type { AddressKey, Outcome, OutcomeStore, Reporter } from './outcome-store.ts';
import { patternClassOf } from './pattern-class.ts';

export interface RecordPorts {
  readonly outcomes: Pick<OutcomeStore, 'record'>;
  /** Role-based local parts, in lower case. */
  readonly roles: ReadonlySet<string>;
  readonly nowMs: () => number;
}

const dayMs = 86_400_000;
/**
 * How far in the future an outcome may be, in milliseconds. Clocks and time zones differ: a date alone may be
 * tomorrow's for its writer.
 */
const futureMsMax = dayMs;

/**
 * Judges reported outcomes and stores them. A row that cannot be stored is rejected without affecting the others. Those
 * of a sandbox account are judged in the same way and not stored, so that none repeats another (ADR 0073).
 */
export async function recordReportedOutcomes(
  ports: RecordPorts,
  retentionDays: number,
  reporter: Reporter,
  reported: readonly ReportedOutcome[],
): Promise<OutcomeReport> {
  const nowMs = ports.nowMs();
  const judged = reported.map(row => judgeRow(row, ports.roles, nowMs, retentionDays * dayMs));
  const outcomes = judged.flatMap(row => ('kind' in row ? [row] : []));
  const isStored = outcomes.length > 0 && !isSandboxAccount(reporter.accountId);
  const recorded = isStored ? await ports.outcomes.record(reporter, outcomes) : outcomes.length;
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

export interface ForgetPorts {
  readonly outcomes: Pick<OutcomeStore, 'addressesIn'>;
  /** Forgets the verdicts on addresses, both shared ones and those for single accounts. */
  readonly forget: (addresses: readonly AddressKey[]) => Promise<void>;
}

/** Makes the next validation probe the addresses of a report again. It is safe to run this twice. */
export async function forgetVerdicts(ports: ForgetPorts, reportId: OutcomeReportId): Promise<void> {
  await ports.forget(await ports.outcomes.addressesIn(reportId));
}
