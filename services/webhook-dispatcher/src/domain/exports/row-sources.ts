import type { AccountId, ExportedValue, ExportSource } from '@mailproof/shared-types';

/** Some keys of the rows of a source, in their order. */
export interface KeyPage {
  /** Names of the fields of its rows, in their order. */
  readonly columns: readonly string[];
  /** Rows in all. */
  readonly total: number;
  readonly keys: readonly string[];
  readonly isLast: boolean;
}

/** What the first of some rows say, in the order of their keys; those that are gone are left out. */
export interface RowPage {
  readonly columns: readonly string[];
  readonly rows: readonly { readonly key: string; readonly values: readonly ExportedValue[] }[];
  /** How many of the keys were looked at: not all where rows are long, at least one. */
  readonly keysRead: number;
}

/**
 * Reads rows out of the services that have them. Throws `export_source_not_found` where what is to be exported is not
 * there (any more), `export_source_not_ready` where it is not finished, and `service_unavailable` where the service is
 * away.
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

/**
 * The values of a row in the order of other columns than its own, as when a release adds a column while an export is
 * under way: by their names; what is not there is empty.
 */
export function inColumns(
  page: Pick<RowPage, 'columns'>,
  columns: readonly string[],
): (values: readonly ExportedValue[]) => readonly ExportedValue[] {
  if (columns.length === page.columns.length && columns.every((name, at) => name === page.columns[at])) {
    return values => values;
  }
  const places = columns.map(name => page.columns.indexOf(name));
  return values => places.map(place => values[place] ?? null);
}
