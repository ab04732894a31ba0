import { $api } from '../../api/client.ts';
import { ResultBadge, resultLooks } from '../../design/badge.tsx';
import { Drawer } from '../../design/dialog.tsx';
import { Facts } from '../../design/layout.tsx';
import { Failure, Loading } from '../../design/states.tsx';
import { providerName } from '../../verdicts/providers.ts';
import type { Job } from './job-search.ts';
import { emailTypeNames, faultSentence, reasonSentence } from './job-words.ts';
import type { JobRow } from './row-pages.ts';
import styles from './validations.module.css';

interface RowDrawerProps {
  readonly job: Job;
  /** The row number, counted from 1; if undefined, the drawer is closed. */
  readonly row: number | undefined;
  readonly onClose: () => void;
}

/** All details of one row: the result, its reason, and the uploaded cells. */
export function RowDrawer({ job, row, onClose }: RowDrawerProps) {
  return (
    <Drawer title={`Row ${row ?? ''}`} open={row !== undefined} onOpenChange={isOpen => !isOpen && onClose()}>
      {row !== undefined && <OpenRow key={row} job={job} number={row} />}
    </Drawer>
  );
}

function OpenRow({ job, number }: { readonly job: Job; readonly number: number }) {
  const { data, error, isPending, isError, refetch } = $api.useQuery(
    'get',
    '/validation-jobs/{job_id}/rows',
    {
      params: { path: { job_id: job.job_id }, query: { from_row: number, limit: 1 } },
    },
  );
  if (isPending) return <Loading lines={6} name="Loading row" />;
  if (isError) return <Failure error={error} onRetry={refetch} />;
  const [row] = data.rows;
  if (row?.row !== number) return <p>Row not found.</p>;
  return (
    <>
      <Judgment row={row} />
      <h3>Original row</h3>
      <Facts
        facts={Array.from({ length: Math.max(job.columns.length, row.cells.length) }, (_, index) => [
          job.columns[index]?.name ?? `column_${index + 1}`,
          // biome-ignore lint/suspicious/noArrayIndexKey: cells never move.
          <Cell key={index} text={row.cells[index] ?? ''} />,
        ])}
      />
    </>
  );
}

function Judgment({ row: { email, fault, verdict, is_duplicate: isDuplicate } }: { readonly row: JobRow }) {
  return (
    <>
      {email && <p className={styles.email}>{email}</p>}
      {verdict && (
        <div className={styles.judgment}>
          <ResultBadge result={verdict.result} />
          {fault === null && <strong>{resultLooks[verdict.result].sentence}</strong>}
          <span>{fault === null ? reasonSentence(verdict.reason) : faultSentence(fault)}</span>
        </div>
      )}
      {!verdict && <p>{fault === null ? 'No result for this address yet.' : faultSentence(fault)}</p>}
      {isDuplicate && <p className={styles.soft}>Duplicate address; this row was free.</p>}
      {verdict && fault === null && (
        <Facts
          facts={[
            ['Mail provider', verdict.mx_provider ? providerName(verdict.mx_provider) : 'Unknown'],
            ['Mail domain', verdict.mx_domain ?? 'None'],
            ['Type', verdict.email_type ? emailTypeNames[verdict.email_type] : 'Unknown'],
            ['Safe to send', verdict.valid ? 'Yes' : 'No'],
          ]}
        />
      )}
    </>
  );
}

const cellCharactersMax = 2_000;

function Cell({ text }: { readonly text: string }) {
  if (text === '') return <span className={styles.soft}>–</span>;
  return (
    <span className={styles.cell}>
      {text.length > cellCharactersMax ? `${text.slice(0, cellCharactersMax)}…` : text}
    </span>
  );
}
