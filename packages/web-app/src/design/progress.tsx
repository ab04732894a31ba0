import { formatRate, formatSeconds, formatShare } from './format.ts';
import styles from './progress.module.css';

interface ProgressProps {
  /** What is under way, for screen readers. */
  readonly name: string;
  /** Between 0 and 1. */
  readonly value: number;
  /** What is counted, such as "addresses", and how many of it a second are done lately. */
  readonly rate?: { readonly noun: string; readonly perSecond: number } | undefined;
  readonly secondsLeft?: number | null | undefined;
}

/** How far long work has come, how quick it is, and how long it will take. */
export function Progress({ name, value, rate, secondsLeft }: ProgressProps) {
  const whole = Math.floor(value * 1_000) / 1_000;
  return (
    <div className={styles.progress}>
      <div
        className={styles.track}
        role="progressbar"
        aria-label={name}
        aria-valuenow={Math.round(whole * 100)}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <Bar value={whole} />
      </div>
      <div className={styles.legend}>
        <span>{formatShare(whole)}</span>
        {rate && (
          <span>
            {formatRate(rate.perSecond)} {rate.noun} a second
          </span>
        )}
        {secondsLeft !== null && secondsLeft !== undefined && <span>{formatSeconds(secondsLeft)} left</span>}
      </div>
    </div>
  );
}

/** A share as a line, beside words that say the same. */
export function ShareLine({ value }: { readonly value: number }) {
  return (
    <div className={styles.track} aria-hidden>
      <Bar value={value} />
    </div>
  );
}

function Bar({ value }: { readonly value: number }) {
  return <div className={styles.bar} style={{ transform: `scaleX(${value})` }} />;
}
