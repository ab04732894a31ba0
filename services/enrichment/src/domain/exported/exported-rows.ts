import type {
  AccountId,
  ExportedValue,
  ExportSource,
  RecordSource,
  savedCompaniesSource,
  savedPeopleSource,
} from '@mailproof/shared-types';
import type { z } from 'zod';

export type PeopleSource = z.output<typeof savedPeopleSource>;
export type CompaniesSource = z.output<typeof savedCompaniesSource>;
export type ProfilesSource = Exclude<ExportSource, { kind: 'validation_job' }>;

export interface KeyPage {
  readonly columns: string[];
  readonly total: number;
  readonly keys: string[];
  readonly is_last: boolean;
}

export interface RowPage {
  readonly columns: string[];
  readonly rows: { readonly key: string; readonly values: ExportedValue[] }[];
  readonly keys_read: number;
}

/**
 * Rows of saved records for an export. Undefined where the account has no such list, run or search; whoever asked to be
 * left out is in neither of the two.
 */
export interface ExportedRows<Source> {
  list(accountId: AccountId, source: Source, after: string | undefined): Promise<KeyPage | undefined>;
  read(accountId: AccountId, source: Source, keys: readonly string[]): Promise<RowPage | undefined>;
}

/** Several words of one field, in one cell. */
export function wordsIn(words: readonly string[]): string | null {
  return words.length > 0 ? words.join('; ') : null;
}

/** Where a record comes from, in columns of its own; what single fields owe to another source stands in the last one. */
export const sourceColumns = ['source', 'source_licence', 'source_date', 'other_sources'] as const;

export function sourceValues(
  main: RecordSource,
  provenance: Readonly<Record<string, RecordSource>>,
): ExportedValue[] {
  const others = new Map<string, string[]>();
  for (const [field, source] of Object.entries(provenance)) {
    if (told(source) !== told(main)) {
      others.set(told(source), [...(others.get(told(source)) ?? []), field]);
    }
  }
  const lines = [...others].map(([source, fields]) => `${fields.join(', ')}: ${source}`);
  return [main.name, main.licence, main.retrieved_on, wordsIn(lines)];
}

function told({ name, licence, retrieved_on }: RecordSource): string {
  return `${name} (${licence}, ${retrieved_on})`;
}
