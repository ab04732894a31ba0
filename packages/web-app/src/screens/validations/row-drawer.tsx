import { $api } from '../../api/client.ts';
import { ResultBadge, resultLooks } from '../../design/badge.tsx';
import { Drawer } from '../../design/dialog.tsx';
import { Facts } from '../../design/layout.tsx';
import { Failure, Loading } from '../../design/states.tsx';
import type { Job } from './job-search.ts';
import { emailTypeNames, faultSentence, providerName, reasonSentence } from './job-words.ts';
import type { JobRow } from './row-pages.ts';
import styles from './validations.module.css';

interface RowDrawerProps {
  readonly job: Job;
  /** Its number, from 1; none is open where there is none. */
  readonly row: number | undefined;
  readonly onClose: () => void;
}

/** Everything about one row: what was found out, why, and what came in. */
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
  if (isPending) return <Loading lines={6} name="Loading the row" />;
  if (isError) return <Failure error={error} onRetry={refetch} />;
  const [row] = data.rows;
  if (row?.row !== number) return <p>The list has no such row.</p>;
  return (
    <>
      <Judgement row={row} />
      <h3>What came in</h3>
      <Facts
        facts={Array.from({ length: Math.max(job.columns.length, row.cells.length) }, (_, place) => [
          job.columns[place]?.name ?? `column_${place + 1}`,
          // biome-ignore lint/suspicious/noArrayIndexKey: cells never move.
          <Cell key={place} text={row.cells[place] ?? ''} />,
        ])}
      />
    </>
  );
}

function Judgement({ row: { email, fault, verdict, is_duplicate: isDuplicate } }: { readonly row: JobRow }) {
  return (
    <>
      {email && <p className={styles.email}>{email}</p>}
      {verdict && (
        <div className={styles.judgement}>
          <ResultBadge result={verdict.result} />
          {fault === null && <strong>{resultLooks[verdict.result].sentence}</strong>}
          <span>{fault === null ? reasonSentence(verdict.reason) : faultSentence(fault)}</span>
        </div>
      )}
      {!verdict && <p>{fault === null ? 'Nothing is known of this address yet.' : faultSentence(fault)}</p>}
      {isDuplicate && (
        <p className={styles.soft}>The address stood in a row before; this one cost nothing.</p>
      )}
      {verdict && fault === null && (
        <Facts
          facts={[
            ['Mail provider', verdict.mx_provider ? providerName(verdict.mx_provider) : 'Nobody known'],
            ['Mail domain', verdict.mx_domain ?? 'None'],
            ['Kind', verdict.email_type ? emailTypeNames[verdict.email_type] : 'Not known'],
            ['May be sent to', verdict.valid ? 'Yes' : 'Better not'],
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
