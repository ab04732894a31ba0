import { formatNumber } from './format.ts';
import styles from './meter.module.css';

interface MeterProps {
  readonly name: string;
  readonly left: number;
  readonly limit: number;
}

/** How much is left of something that runs out. */
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
