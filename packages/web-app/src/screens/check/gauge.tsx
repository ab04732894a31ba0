import { formatShare } from '../../design/format.ts';
import styles from './evidence.module.css';

interface GaugeProps {
  /** What it shows, for screen readers. */
  readonly name: string;
  /** Between 0 and 1. */
  readonly value: number;
  /** Where it would have been without evidence. */
  readonly mark: number;
}

const arc = 'M 12 62 A 48 48 0 0 1 108 62';

/** A share of a half circle, with its number. */
export function Gauge({ name, value, mark }: GaugeProps) {
  const angle = Math.PI * (1 - mark);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return (
    <svg
      className={styles.gauge}
      viewBox="0 0 120 70"
      role="img"
      aria-label={`${name}: ${formatShare(value)}; ${formatShare(mark)} before any evidence`}
    >
      <path d={arc} className={styles.track} />
      <path d={arc} pathLength={100} strokeDasharray={`${value * 100} 100`} className={styles.value} />
      <line
        x1={60 + 39 * cos}
        y1={62 - 39 * sin}
        x2={60 + 57 * cos}
        y2={62 - 57 * sin}
        className={styles.mark}
      />
      <text x="60" y="58" textAnchor="middle">
        {formatShare(value)}
      </text>
    </svg>
  );
}
