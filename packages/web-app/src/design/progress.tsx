import { type Result, resultLooks, results } from './badge.tsx';
import { formatNumber, formatRate, formatSeconds, formatShare } from './format.ts';
import styles from './progress.module.css';

interface ProgressProps {
  /** The name of the running work, for screen readers. */
  readonly name: string;
  /** Between 0 and 1. */
  readonly value: number;
  /** The counted noun, such as "addresses", and the recent number per second. */
  readonly rate?: { readonly noun: string; readonly perSecond: number } | undefined;
  readonly secondsLeft?: number | null | undefined;
}

/** The progress of long-running work, its rate, and the time left. */
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
            {formatRate(rate.perSecond)} {rate.noun} per second
          </span>
        )}
        {secondsLeft !== null && secondsLeft !== undefined && <span>{formatSeconds(secondsLeft)} left</span>}
      </div>
    </div>
  );
}

/** A share shown as a bar, next to text that says the same. */
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

interface MeterProps {
  readonly name: string;
  readonly left: number;
  readonly limit: number;
}

/** A meter for what is left of a limited supply. */
export function Meter({ name, left, limit }: MeterProps) {
  return (
    <meter
      className={styles.meter}
      aria-label={name}
      aria-valuetext={`${formatNumber(left)} of ${formatNumber(limit)} left`}
      min={0}
      max={limit}
      value={left}
    />
  );
}

/** Counts by result, as the API returns them. */
export type ResultCounts = Readonly<Record<string, number>>;

/** The count of a result; 0 if missing. */
export function countFor(counts: ResultCounts, result: Result): number {
  return counts[result] ?? 0;
}

interface ResultBarProps {
  /** The count of each result. */
  readonly counts: ResultCounts;
  /** The total, including pending items; defaults to the sum of the counts. */
  readonly total?: number;
  /** Whether text next to it says the same, so that screen readers skip the bar. */
  readonly isDecoration?: boolean;
}

/** A bar that shows the share of each result. */
export function ResultBar({ counts, total, isDecoration }: ResultBarProps) {
  const sum = results.reduce((all, result) => all + countFor(counts, result), 0);
  const whole = Math.max(total ?? sum, sum, 1);
  const there = results.filter(result => countFor(counts, result) > 0);
  const words = there
    .map(result => `${resultLooks[result].name} ${formatNumber(countFor(counts, result))}`)
    .join(', ');
  return (
    <div
      className={styles.results}
      {...(isDecoration ? { 'aria-hidden': true } : { role: 'img', 'aria-label': words || 'No results yet' })}
      title={words}
    >
      {there.map(result => (
        <span
          key={result}
          data-tone={resultLooks[result].tone}
          style={{ width: `${(countFor(counts, result) / whole) * 100}%` }}
        />
      ))}
    </div>
  );
}
