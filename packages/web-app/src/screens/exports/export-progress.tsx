import { useEffect, useState } from 'react';
import { countOf, formatNumber } from '../../design/format.ts';
import { Progress } from '../../design/progress.tsx';
import { Notice } from '../../design/states.tsx';
import { type Export, isActive, resumesIn, rowsIn, timesOf } from './export-words.ts';
import styles from './exports.module.css';

/** The progress of an export, its rate, and why it waits. */
export function ExportProgress({ record }: { readonly record: Export }) {
  const { name, progress, per_second, seconds_left, pause, failure, throttled } = record;
  const isGoing = isActive(record) && pause === null;
  return (
    <>
      {isActive(record) && (
        <Progress
          name={name}
          value={progress}
          {...(isGoing && per_second !== null && { rate: { noun: 'rows', perSecond: per_second } })}
          secondsLeft={isGoing ? seconds_left : null}
        />
      )}
      {record.rows.open > 0 && (
        <Notice
          tone="caution"
          title={`Partial: ${countOf(record.rows.open, 'row', 'rows')} had no result yet`}
        >
          The validation was still in progress. Export the list again after its end to get all rows.
        </Notice>
      )}
      {pause && (
        <Notice tone="caution" title={pauseTitles[pause.reason]}>
          <span>{pause.detail}</span>
          {pause.resumes_at && <Resumption at={pause.resumes_at} />}
        </Notice>
      )}
      {failure && (
        <Notice
          tone={failure.reason === 'cancelled' ? 'neutral' : 'bad'}
          title={failureTitles[failure.reason]}
        >
          {failure.detail}
        </Notice>
      )}
      {throttled > 0 && isActive(record) && (
        <p className={styles.soft}>
          The receiver rate-limited us {timesOf(throttled)}. The rate adapts; no row is lost.
        </p>
      )}
    </>
  );
}

/** Shows when a wait ends, updated every second, because most waits last only seconds. */
function Resumption({ at }: { readonly at: string }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const clock = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(clock);
  }, []);
  return <span>{resumesIn(new Date(at).getTime() - now)}</span>;
}

const pauseTitles = {
  asked: 'Paused',
  receiver_asked: 'Waiting for the receiver',
  receiver_away: 'The receiver is not responding',
  access_revoked: 'Reconnect the CRM',
} as const satisfies Record<NonNullable<Export['pause']>['reason'], string>;

const failureTitles = {
  cancelled: 'Canceled',
  destination_lost: 'The destination was lost',
  destination_refused: 'The receiver rejects our requests',
  nothing_delivered: 'No row was delivered',
  connection_gone: 'The CRM is no longer connected',
  mapping_not_valid: 'The CRM rejects every row',
  paused_too_long: 'Paused for too long',
  source_gone: 'The source was deleted',
  could_not_continue: 'The export failed',
} as const satisfies Record<NonNullable<Export['failure']>['reason'], string>;

/** The outcomes of the rows, as numbers and as a bar. */
export function ExportCounts({ record }: { readonly record: Export }) {
  const { target, actions, options } = record;
  const { pending, delivered, failed, gone } = rowsIn(record);
  const parts = [
    {
      name: target === 'csv' ? 'In the file' : 'Delivered',
      rows: delivered,
      look: styles.barGood,
      isShown: true,
    },
    { name: 'Failed', rows: failed, look: styles.barBad, isShown: target !== 'csv' || failed > 0 },
    { name: 'Removed', rows: gone, look: styles.barGone, isShown: true },
    { name: 'Remaining', rows: pending, look: undefined, isShown: isActive(record) || pending > 0 },
  ].filter(({ isShown }) => isShown);
  return (
    <>
      {!isActive(record) && (
        <div className={styles.bar} aria-hidden>
          {parts.map(({ name, rows, look }) => (
            <span key={name} className={look} style={{ flexGrow: rows }} />
          ))}
        </div>
      )}
      <dl className={styles.counts}>
        {parts.map(({ name, rows, look }) => (
          <div key={name}>
            <dt>
              <span className={look} aria-hidden />
              {name}
            </dt>
            <dd>{formatNumber(rows)}</dd>
          </div>
        ))}
      </dl>
      {actions && (
        <>
          {options['dry_run'] === true && (
            <p className={styles.soft}>
              Dry run: nothing was written. These are the changes that a push would make.
            </p>
          )}
          <dl className={styles.counts}>
            <Count
              name={options['dry_run'] === true ? 'Would be created' : 'Created'}
              rows={actions.created}
            />
            <Count
              name={options['dry_run'] === true ? 'Would be updated' : 'Updated'}
              rows={actions.updated}
            />
            <Count
              name={options['dry_run'] === true ? 'Would be skipped' : 'Skipped'}
              rows={actions.skipped}
            />
          </dl>
        </>
      )}
      {gone > 0 && (
        <p className={styles.soft}>
          Removed: rows whose record was deleted or suppressed before they were sent.
        </p>
      )}
    </>
  );
}

function Count({ name, rows }: { readonly name: string; readonly rows: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{formatNumber(rows)}</dd>
    </div>
  );
}
