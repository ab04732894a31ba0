import type {
  CrmAction,
  ExportedValue,
  ExportFailure,
  ExportId,
  ExportTarget,
} from '@mailproof/shared-types';
import type { Export, ExportChange, RowOutcome } from './export.ts';

/** A claimed row with its values, in the order of the export's columns. */
export interface LeavingRow {
  readonly rowNo: number;
  /** Attempts so far. */
  readonly attempts: number;
  /** What an earlier attempt, whose outcome is unknown, was about to do in a CRM. */
  readonly intent?: CrmAction | null;
  readonly values: readonly ExportedValue[];
}

/** The result of delivering some rows. */
export interface BatchResult {
  /** The outcomes of rows. A claimed row without an outcome is returned, as if it had not been claimed. */
  readonly outcomes: readonly RowOutcome[];
  /**
   * What was learned about the receiver. With a `pauseReason`, nothing is delivered until `resumesAt` or until a user
   * resumes.
   */
  readonly change: Pick<ExportChange, 'pauseReason' | 'resumesAt' | 'throttled' | 'pausedMs' | 'pace'>;
  /** The export fails for this reason; pending rows stay pending. */
  readonly failure?: ExportFailure;
}

/** Delivers rows to their destination; an export to a file needs no delivery. */
export interface RowDelivery {
  /** The number of rows worth claiming at once: what the receiver accepts in a few seconds. */
  rowsAtOnce(record: Export): number;
  /** Delivers rows. Any throw counts as our fault: the rows are returned and retried later. */
  deliverRows(record: Export, rows: readonly LeavingRow[], signal: AbortSignal): Promise<BatchResult>;
  /** Deletes the destination of an export that has ended or is deleted. May be called several times. */
  forget(exportId: ExportId): Promise<void>;
}

/** Chooses the delivery by the export's target; files need none. */
export function deliveryByTarget(
  deliveries: Readonly<Record<Exclude<ExportTarget, 'csv'>, RowDelivery>>,
): RowDelivery {
  const deliveryOf = ({ exportId, target }: Export): RowDelivery => {
    if (target === 'csv') {
      throw new Error(`Export ${exportId} is a file, so its rows have no destination.`);
    }
    return deliveries[target];
  };
  return {
    rowsAtOnce: record => deliveryOf(record).rowsAtOnce(record),
    deliverRows: (record, ...rest) => deliveryOf(record).deliverRows(record, ...rest),
    async forget(exportId) {
      await Promise.all(Object.values(deliveries).map(delivery => delivery.forget(exportId)));
    },
  };
}
