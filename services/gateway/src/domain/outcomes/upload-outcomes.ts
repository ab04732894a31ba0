import {
  type AccountId,
  countNoOutcomes,
  limits,
  type OperationResult,
  type OutcomeReport,
  type ReportedOutcome,
  type uploadOutcomes as uploadOutcomesOperation,
} from '@mailproof/shared-types';
import { findOutcomeColumns, type OutcomeColumns } from './outcome-columns.ts';
import { readOutcomeRow } from './read-outcome-row.ts';

/** One row of a file. */
export interface TableRow {
  /** The line on which the row ends, from 1. */
  readonly line: number;
  readonly record: readonly string[];
}

export interface UploadPorts {
  /** Passes outcomes to their store, at most `limits.outcomesPerReportMax` at once. */
  readonly report: (
    accountId: AccountId,
    outcomes: readonly ReportedOutcome[],
    signal: AbortSignal,
  ) => Promise<OutcomeReport>;
  readonly nowMs: () => number;
}

export type OutcomeUpload = OperationResult<typeof uploadOutcomesOperation>;

/** The message says in one sentence why the file cannot be accepted; the rows before the fault are recorded anyway. */
export class UploadFault extends Error {
  override readonly name = 'UploadFault';
  readonly kind: 'unreadable' | 'too_many_rows';

  constructor(kind: UploadFault['kind'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** The most characters of bounce messages per report, so that a few long rows are no larger than many short ones. */
const reportCharactersMax = 500_000;

/**
 * Reads rows and passes them on in bounded portions. Waits for each portion, which slows the sender to the store's
 * pace.
 *
 * @throws UploadFault if the file is empty, its header lacks an address or outcome column, or it has too many rows
 */
export async function uploadOutcomes(
  ports: UploadPorts,
  accountId: AccountId,
  rows: AsyncIterable<TableRow>,
  signal: AbortSignal,
): Promise<OutcomeUpload> {
  const tally = startTally();
  let columns: OutcomeColumns | undefined;
  let portion: Portion = emptyPortion();
  const handOn = async () => {
    if (portion.outcomes.length > 0) {
      tally.addReport(await ports.report(accountId, portion.outcomes, signal), portion.lines);
      portion = emptyPortion();
    }
  };
  for await (const { line, record } of rows) {
    if (columns === undefined) {
      columns = columnsOf(record);
      continue;
    }
    if (tally.countRow() > limits.outcomeUploadRowsMax) {
      throw new UploadFault('too_many_rows', `The file has more than ${limits.outcomeUploadRowsMax} rows.`);
    }
    const read = readOutcomeRow(record, columns, ports.nowMs());
    if ('fault' in read) {
      tally.refuse({ line, reason: read.fault, detail: read.detail });
      continue;
    }
    portion.outcomes.push(read.outcome);
    portion.lines.push(line);
    portion.characters += read.outcome.text?.length ?? 0;
    if (portion.outcomes.length === limits.outcomesPerReportMax || portion.characters > reportCharactersMax) {
      await handOn();
    }
  }
  if (columns === undefined) {
    throw new UploadFault('unreadable', 'The file is empty.');
  }
  await handOn();
  return tally.result();
}

interface Portion {
  readonly outcomes: ReportedOutcome[];
  readonly lines: number[];
  characters: number;
}

function emptyPortion(): Portion {
  return { outcomes: [], lines: [], characters: 0 };
}

function columnsOf(header: readonly string[]): OutcomeColumns {
  const found = findOutcomeColumns(header);
  if ('fault' in found) {
    throw new UploadFault('unreadable', found.fault);
  }
  return found.columns;
}

type Refusal = OutcomeUpload['refusals'][number];

function startTally() {
  const kinds: OutcomeUpload['kinds'] = countNoOutcomes();
  const counts = { rows: 0, recorded: 0, repeated: 0, refused: 0 };
  let refusals: Refusal[] = [];
  function refuse(refusal: Refusal): void {
    counts.refused += 1;
    // The engine reports its refusals later, so the earliest lines are known only at the end of each portion.
    refusals = [...refusals, refusal]
      .sort((one, other) => one.line - other.line)
      .slice(0, limits.outcomeRefusalsShownMax);
  }
  return {
    refuse,
    countRow: () => {
      counts.rows += 1;
      return counts.rows;
    },
    addReport(report: OutcomeReport, lines: readonly number[]): void {
      counts.recorded += report.recorded;
      counts.repeated += report.repeated;
      for (const kind of Object.keys(kinds) as (keyof typeof kinds)[]) {
        kinds[kind] += report.kinds[kind];
      }
      for (const { row, reason, detail } of report.refused) {
        refuse({ line: lines[row] ?? 1, reason, detail });
      }
    },
    result: (): OutcomeUpload => ({ ...counts, kinds, refusals }),
  };
}
