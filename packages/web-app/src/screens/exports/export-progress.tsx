import { useEffect, useState } from 'react';
import { Progress } from '../../design/progress.tsx';
import { Notice } from '../../design/states.tsx';
import { type Export, isUnderWay, resumesIn, timesOf } from './export-words.ts';
import styles from './exports.module.css';

/** How far an export is, how quick it is, and what holds it up. */
export function ExportProgress({ record }: { readonly record: Export }) {
  const { name, progress, per_second, seconds_left, pause, failure, throttled } = record;
  const isGoing = isUnderWay(record) && pause === null;
  return (
    <>
      {isUnderWay(record) && (
        <Progress
          name={name}
          value={progress}
          {...(isGoing && per_second !== null && { rate: { noun: 'rows', perSecond: per_second } })}
          secondsLeft={isGoing ? seconds_left : null}
        />
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
      {throttled > 0 && isUnderWay(record) && (
        <p className={styles.soft}>
          The receiver asked us to wait {timesOf(throttled)}. The pace follows it; no row is lost.
        </p>
      )}
    </>
  );
}

/** When a wait ends: told by the second, since most are some seconds long. */
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
  receiver_away: 'The receiver does not answer',
  access_revoked: 'The CRM has to be connected again',
} as const satisfies Record<NonNullable<Export['pause']>['reason'], string>;

const failureTitles = {
  cancelled: 'Cancelled',
  destination_lost: 'Where the rows go was lost',
  destination_refused: 'The receiver refuses us',
  nothing_delivered: 'No row arrived',
  connection_gone: 'The CRM is not connected any more',
  mapping_not_valid: 'The CRM takes none of the rows',
  paused_too_long: 'It stood still for too long',
  source_gone: 'The rows are gone',
  could_not_continue: 'It could not go on',
} as const satisfies Record<NonNullable<Export['failure']>['reason'], string>;
