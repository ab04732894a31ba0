import { useMemo } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { classes } from '../../design/classes.ts';
import { countOf, formatNumber } from '../../design/format.ts';
import { Notice } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { type ExportSource, movedColumns } from './export-words.ts';
import styles from './exports.module.css';

type Survey = Schema['ExportSurvey'];
type Sample = Survey['samples'][number];

/** As many as show what they are like without pushing the next step out of sight. */
const samplesMax = 3;

interface ExportSampleProps {
  readonly source: ExportSource;
  readonly survey: Survey;
  /** While a newer answer is on its way. */
  readonly isStale: boolean;
}

/** What an export would have: so many rows, these fields, and what the first rows say. */
export function ExportSample({ source, survey, isStale }: ExportSampleProps) {
  const columns = useMemo(() => columnsOf(survey.columns), [survey.columns]);
  const samples = survey.samples.slice(0, samplesMax);
  return (
    <section
      className={classes(styles.sample, isStale && styles.stale)}
      aria-label="What leaves"
      aria-busy={isStale}
    >
      <p role="status">
        <strong>{countOf(survey.rows, 'row')}</strong>
        {survey.rows > 0 && ` with ${countOf(survey.columns.length, 'field')} each, in this order`}
      </p>
      {survey.rows === 0 && (
        <p className={styles.soft}>
          {source.kind === 'validation_job'
            ? 'None of the rows fits. Choose others.'
            : 'There is nothing to export yet.'}
        </p>
      )}
      {source.kind === 'validation_job' && survey.rows > 0 && (
        <MovedColumns jobId={source.job_id} fields={survey.columns} />
      )}
      {samples.length > 0 && (
        <DataTable
          name="The first rows"
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

/** Columns that leave under another name: said ahead of the start, since whatever reads them has to know. */
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
            Your column <code>{from}</code> becomes <code>{to}</code>, since a field of ours is called so.
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
