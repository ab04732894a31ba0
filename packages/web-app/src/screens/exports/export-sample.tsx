import { useMemo } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { countOf, formatNumber } from '../../design/format.ts';
import { classes } from '../../design/looks.ts';
import { Notice } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { type ExportSource, movedColumns } from './export-words.ts';
import styles from './exports.module.css';

type Survey = Schema['ExportSurvey'];
type Sample = Survey['samples'][number];

/** Enough rows to show what they contain without pushing the next step off the screen. */
const samplesMax = 3;

interface ExportSampleProps {
  readonly source: ExportSource;
  readonly survey: Survey;
  /** Whether a newer preview is loading. */
  readonly isStale: boolean;
}

/** A preview of an export: the number of rows, the fields, and the first rows. */
export function ExportSample({ source, survey, isStale }: ExportSampleProps) {
  const columns = useMemo(() => columnsOf(survey.columns), [survey.columns]);
  const samples = survey.samples.slice(0, samplesMax);
  return (
    <section
      className={classes(styles.sample, isStale && styles.stale)}
      aria-label="Preview"
      aria-busy={isStale}
    >
      <p role="status">
        <strong>{countOf(survey.rows, 'row')}</strong>
        {survey.rows > 0 && ` with ${countOf(survey.columns.length, 'field')} each, in this order`}
      </p>
      {survey.rows === 0 && (
        <p className={styles.soft}>
          {source.kind === 'validation_job'
            ? 'No rows match. Change the selection.'
            : 'There is nothing to export yet.'}
        </p>
      )}
      {survey.rows_open > 0 && (
        <Notice
          tone="caution"
          title={`${countOf(survey.rows_open, 'row has no result yet and is', 'rows have no result yet and are')} not included`}
        >
          The validation is still in progress. Export again after its end to get all rows.
        </Notice>
      )}
      {source.kind === 'validation_job' && survey.rows > 0 && (
        <MovedColumns jobId={source.job_id} fields={survey.columns} />
      )}
      {samples.length > 0 && (
        <DataTable
          name="First rows"
          columns={columns}
          rows={samples}
          rowId={row => String(samples.indexOf(row))}
        />
      )}
      {samples.length > 0 && survey.rows > samples.length && (
        <p className={styles.soft}>and {formatNumber(survey.rows - samples.length)} more</p>
      )}
    </section>
  );
}

/** Renamed columns, shown before the start, because the receiver must know the names. */
function MovedColumns({ jobId, fields }: { readonly jobId: string; readonly fields: readonly string[] }) {
  const { data: job } = $api.useQuery('get', '/validation-jobs/{job_id}', {
    params: { path: { job_id: jobId } },
  });
  const moved = job ? movedColumns(job.columns, fields) : [];
  if (moved.length === 0) return null;
  return (
    <Notice tone="neutral">
      <ul className={styles.moved}>
        {moved.map(({ from, to }) => (
          <li key={to}>
            Your column <code>{from}</code> is exported as <code>{to}</code>, because a Mailproof field has
            this name.
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function columnsOf(names: readonly string[]): Column<Sample>[] {
  return names.map((name, at) => ({
    id: String(at),
    header: name,
    width: 'minmax(8rem, 14rem)',
    cell: row => <Cell value={row[at] ?? null} />,
  }));
}

function Cell({ value }: { readonly value: Sample[number] }) {
  if (value === null || value === '') return <span className={styles.soft}>–</span>;
  const text = String(value);
  return (
    <span className={styles.clipped} title={text}>
      {text}
    </span>
  );
}
