import type { AccountId, ExportedValue, ExportSource, UploadedFile } from '@mailproof/shared-types';

/** A page of the keys of a source's rows, in order. */
export interface KeyPage {
  /** The names of the rows' fields, in order. */
  readonly columns: readonly string[];
  /** The total number of rows. */
  readonly total: number;
  /**
   * Rows of a running job without a result, which are not listed: those between the previous key and the last one of the
   * page, or to the end with the last page; and all of them.
   */
  readonly open: number;
  readonly openTotal: number;
  readonly keys: readonly string[];
  readonly isLast: boolean;
  /** How the rows came in, if they came as a file. */
  readonly file?: UploadedFile | undefined;
}

/** The values of the first of the requested rows, in the order of their keys; missing rows are left out. */
export interface RowPage {
  readonly columns: readonly string[];
  readonly rows: readonly {
    readonly key: string;
    /** Its number in the list of a validation job. */
    readonly number?: number | undefined;
    readonly values: readonly ExportedValue[];
  }[];
  /** How many of the keys were read: at least one, but not all if rows are long. */
  readonly keysRead: number;
}

/**
 * Reads rows from the services that have them. Throws `export_source_not_found` if the source does not exist (any
 * more), `export_source_not_ready` if it is not started, and `service_unavailable` if the service does not answer.
 */
export interface RowSources {
  list(
    accountId: AccountId,
    source: ExportSource,
    after: string | undefined,
    signal?: AbortSignal,
  ): Promise<KeyPage>;
  read(
    accountId: AccountId,
    source: ExportSource,
    keys: readonly string[],
    signal?: AbortSignal,
  ): Promise<RowPage>;
}

/** The field that says what a row is about. */
const nameFields = {
  validation_job: 'email',
  saved_people: 'name',
  saved_companies: 'name',
} as const satisfies Record<ExportSource['kind'], string>;

/** What users recognize a row by. */
export interface RowLabel {
  readonly number: number | null;
  readonly name: string | null;
}

/**
 * Labels rows by their keys; names are not stored. Deleted rows, and those that the source does not tell before `signal`
 * aborts, are left out.
 */
export async function labelsOf(
  { read }: Pick<RowSources, 'read'>,
  { accountId, source }: { readonly accountId: AccountId; readonly source: ExportSource },
  keys: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, RowLabel>> {
  const labels = new Map<string, RowLabel>();
  for (let from = 0; from < keys.length; ) {
    const page = await read(accountId, source, keys.slice(from), signal).catch(() => undefined);
    if (!page) {
      break;
    }
    const at = page.columns.indexOf(nameFields[source.kind]);
    for (const { key, number = null, values } of page.rows) {
      const name = values[at];
      labels.set(key, { number, name: typeof name === 'string' && name !== '' ? name : null });
    }
    from += page.keysRead;
  }
  return labels;
}

/**
 * Rearranges the values of a row by name into the order of other columns, as needed when a release adds a column during
 * an export. A missing column is empty.
 */
export function inColumns(
  page: Pick<RowPage, 'columns'>,
  columns: readonly string[],
): (values: readonly ExportedValue[]) => readonly ExportedValue[] {
  if (columns.length === page.columns.length && columns.every((name, at) => name === page.columns[at])) {
    return values => values;
  }
  const positions = columns.map(name => page.columns.indexOf(name));
  return values => positions.map(position => values[position] ?? null);
}
