import type { Schema } from '../../api/client.ts';
import { countOf, formatShare } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { byWeight, type Evidence, evidenceText, strengthOf, weightMax } from '../../verdicts/evidence.ts';
import styles from './evidence-card.module.css';

type CatchAll = NonNullable<Schema['ValidationDetails']['catch_all']>;

/** The evidence about an address at a catch-all domain. */
export function EvidenceCard({ catchAll }: { readonly catchAll: CatchAll }) {
  const { posterior, prior } = catchAll;
  const evidence = byWeight(catchAll.evidence);
  const telling = evidence.filter(({ weight }) => weight !== 0);
  const silent = evidence.filter(({ weight }) => weight === 0);
  return (
    <Card title="Likelihood that the mailbox exists">
      <div className={styles.top}>
        <Gauge value={posterior} mark={prior} name="Likelihood that the mailbox exists" />
        <p>
          Of addresses at domains like this one, {formatShare(prior)} exist.{' '}
          {telling.length > 0
            ? `Given the evidence about this address, the likelihood is ${formatShare(posterior)}.`
            : 'No evidence distinguishes this address from others.'}{' '}
          At 95% or more, the address counts as validated.
        </p>
      </div>
      <EvidenceList name="Evidence" evidence={telling} />
      {silent.length > 0 && (
        <details className={styles.more}>
          <summary>{countOf(silent.length, 'source was', 'sources were')} checked without a result</summary>
          <EvidenceList name="Checked" evidence={silent} />
        </details>
      )}
    </Card>
  );
}

function EvidenceList({ name, evidence }: { readonly name: string; readonly evidence: readonly Evidence[] }) {
  if (evidence.length === 0) return null;
  return (
    <ul className={styles.list} aria-label={name}>
      {evidence.map(each => (
        <EvidenceRow key={`${each.source} ${each.finding} ${each.host ?? ''}`} evidence={each} />
      ))}
    </ul>
  );
}

function EvidenceRow({ evidence }: { readonly evidence: Evidence }) {
  const { weight, host, age_days: ageDays } = evidence;
  const { name, finding } = evidenceText(evidence);
  return (
    <li className={styles.row}>
      <div>
        <strong>{name}</strong>
        {host && <span className={styles.host}> {host}</span>}
        <p>
          {finding}
          {ageDays !== undefined && ageDays >= 1 && ` ${Math.round(ageDays)} days ago.`}
        </p>
      </div>
      {weight !== 0 && (
        <div className={styles.weight}>
          <WeightBar weight={weight} />
          <span>{strengthOf(weight)}</span>
        </div>
      )}
    </li>
  );
}

/** A bar for the weight of evidence: to the right for the address, to the left against it; the text says the same. */
function WeightBar({ weight }: { readonly weight: number }) {
  const share = Math.min(1, Math.abs(weight) / weightMax);
  return (
    <span className={styles.scale} aria-hidden>
      <span
        className={weight >= 0 ? styles.for : styles.against}
        style={{ width: `${share * 50}%`, [weight >= 0 ? 'left' : 'right']: '50%' }}
      />
    </span>
  );
}

interface GaugeProps {
  /** The name of the gauge, for screen readers. */
  readonly name: string;
  /** Between 0 and 1. */
  readonly value: number;
  /** The value without evidence. */
  readonly mark: number;
}

const arc = 'M 12 62 A 48 48 0 0 1 108 62';

/** A half-circle gauge with its number. */
function Gauge({ name, value, mark }: GaugeProps) {
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
