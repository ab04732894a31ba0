import type { CrmAction, ExportId } from '@mailproof/shared-types';

/** What a row stands for, so that two rows of one export never make two records of the same thing. */
export interface MarkedRow {
  readonly rowNo: number;
  /** Marks of our key, of the value that records are found by, and of the record; none of them can be read back. */
  readonly marks: readonly string[];
}

/** An earlier row that stands for the same record. */
export interface EarlierRow {
  readonly rowNo: number;
  readonly earlierRowNo: number;
  /** `pending`: it is not known yet what becomes of it. */
  readonly state: 'pending' | 'delivered';
}

/** What is going to be done for a row, written down ahead of the call that does it. */
export interface RowIntent {
  readonly rowNo: number;
  readonly action: Extract<CrmAction, 'created' | 'updated'>;
}

/** What is written down of the rows of a CRM push besides their outcomes. */
export interface CrmRowStore {
  /**
   * Gives each mark to the first row that has it, and answers which rows have a mark of an earlier one. A row that was
   * given up leaves its marks to the next.
   */
  takeMarks(exportNo: string, rows: readonly MarkedRow[]): Promise<readonly EarlierRow[]>;
  /** Answers whether the export still goes on, so that they may be carried out; who undoes it afterwards sees them. */
  noteIntents(exportNo: string, intents: readonly RowIntent[]): Promise<boolean>;
  /** Forgets what the rows of an export stand for: it has ended. */
  forgetMarks(exportId: ExportId): Promise<void>;
}
