import {
  type AccountId,
  type ChangedAddress,
  safeCell,
  type ValidationJobComparison,
  type ValidationJobId,
  type ValidationResult,
} from '@mailproof/shared-types';

/** Two jobs of one account: this one and the earlier one. */
export interface ComparedJobs {
  readonly accountId: AccountId;
  readonly jobId: ValidationJobId;
  readonly earlierId: ValidationJobId;
}

/** Which changed addresses are wanted. */
export interface ChangesWanted {
  readonly from?: ValidationResult | undefined;
  readonly to?: ValidationResult | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
}

export interface ChangesPage {
  readonly addresses: readonly ChangedAddress[];
  readonly nextCursor: string | undefined;
}

/** Addresses of two jobs with the same results; null is an address without a result. */
export interface ChangeGroup {
  readonly from: ValidationResult | null;
  readonly to: ValidationResult | null;
  /** Whether only this job, or only the earlier one, has the addresses. */
  readonly isAdded: boolean;
  readonly isRemoved: boolean;
  readonly addresses: number;
}

export interface Comparisons {
  /** Most addresses first; undefined if the account lacks one of the jobs. */
  groups(jobs: ComparedJobs): Promise<readonly ChangeGroup[] | undefined>;
  /** Undefined if the account lacks one of the jobs. Throws `invalid_cursor`. */
  page(jobs: ComparedJobs, wanted: ChangesWanted): Promise<ChangesPage | undefined>;
}

/** Sums up the groups of a comparison. */
export function comparisonOf(
  groups: readonly ChangeGroup[],
): Omit<ValidationJobComparison, 'job_id' | 'earlier_job_id'> {
  const sums = { changed: 0, same: 0, open: 0, added: 0, removed: 0 };
  const changes: ValidationJobComparison['changes'] = [];
  for (const { from, to, isAdded, isRemoved, addresses } of groups) {
    if (isAdded) sums.added += addresses;
    else if (isRemoved) sums.removed += addresses;
    else if (from === null || to === null) sums.open += addresses;
    else if (from === to) sums.same += addresses;
    else {
      sums.changed += addresses;
      changes.push({ from, to, addresses });
    }
  }
  return { ...sums, changes };
}

const columns = [
  'email',
  'previous_result',
  'previous_reason',
  'previous_validated_at',
  'result',
  'reason',
  'validated_at',
];

/** Writes changed addresses as CSV (RFC 4180), a page at a time. If a page cannot be read, the file fails too. */
export async function* changesCsv(
  first: ChangesPage,
  read: (cursor: string) => Promise<ChangesPage>,
): AsyncGenerator<string> {
  yield lineOf(columns);
  for (let page: ChangesPage | undefined = first; page; ) {
    yield page.addresses
      .map(({ email, from, to }) => lineOf([email, ...cellsOf(from), ...cellsOf(to)]))
      .join('');
    page = page.nextCursor === undefined ? undefined : await read(page.nextCursor);
  }
}

function cellsOf({ result, reason, validated_at }: ChangedAddress['from']): string[] {
  return [result, reason, validated_at ?? ''];
}

function lineOf(cells: readonly string[]): string {
  const quoted = (text: string) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return `${cells.map(cell => quoted(safeCell(cell))).join(',')}\r\n`;
}
