import { type AccountId, type ExportedValue, type ExportSource, limits } from '@mailproof/shared-types';
import type { RowSources } from './row-sources.ts';

/** What an export would have. */
export interface ExportSurvey {
  readonly rows: number;
  readonly rows_max: number;
  readonly columns: string[];
  readonly samples: ExportedValue[][];
}

const samplesMax = 5;

/** Looks at a source ahead of an export. Throws what the source throws. */
export async function surveyExport(
  sources: RowSources,
  accountId: AccountId,
  source: ExportSource,
): Promise<ExportSurvey> {
  const { columns, total, keys } = await sources.list(accountId, source, undefined);
  const shown = keys.slice(0, samplesMax);
  const page = shown.length > 0 ? await sources.read(accountId, source, shown) : { rows: [] };
  return {
    rows: total,
    rows_max: limits.exportRowsMax,
    columns: [...columns],
    samples: page.rows.map(({ values }) => [...values]),
  };
}
