import { type Result, resultLooks, results } from './badge.tsx';
import { formatNumber } from './format.ts';
import styles from './result-bar.module.css';

/** As the API gives them. */
export type ResultCounts = Readonly<Record<string, number>>;

/** How many have the result. */
export function countFor(counts: ResultCounts, result: Result): number {
  return counts[result] ?? 0;
}

interface ResultBarProps {
  /** How many of something have each result. */
  readonly counts: ResultCounts;
  /** Of how many; what is left is still to come. The sum of the counts, unless it is said. */
  readonly total?: number;
  /** Whether the same stands in words beside it, so that screen readers pass over the picture. */
  readonly isDecoration?: boolean;
}

/** Results as shares of a line. */
export function ResultBar({ counts, total, isDecoration }: ResultBarProps) {
  const sum = results.reduce((all, result) => all + countFor(counts, result), 0);
  const whole = Math.max(total ?? sum, sum, 1);
  const there = results.filter(result => countFor(counts, result) > 0);
  const words = there
    .map(result => `${resultLooks[result].name} ${formatNumber(countFor(counts, result))}`)
    .join(', ');
  return (
    <div
      className={styles.bar}
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
