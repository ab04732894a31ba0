import type { Schema } from '../../api/client.ts';
import { countOf, formatShare } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { byWeight, type Evidence, evidenceText, strengthOf, weightMax } from '../../verdicts/evidence.ts';
import styles from './evidence.module.css';
import { Gauge } from './gauge.tsx';

type CatchAll = NonNullable<Schema['ValidationDetails']['catch_all']>;

/** What is known of an address whose domain takes them all. */
export function EvidenceCard({ catchAll }: { readonly catchAll: CatchAll }) {
  const { posterior, prior } = catchAll;
  const evidence = byWeight(catchAll.evidence);
  const telling = evidence.filter(({ weight }) => weight !== 0);
  const silent = evidence.filter(({ weight }) => weight === 0);
  return (
    <Card title="How likely the mailbox exists">
      <div className={styles.top}>
        <Gauge value={posterior} mark={prior} name="Chance that the mailbox exists" />
        <p>
          Of addresses at domains like this one, {formatShare(prior)} exist.{' '}
          {telling.length > 0
            ? `With what was found about this one, the chance is ${formatShare(posterior)}.`
            : 'Nothing was found that tells this one from the others.'}{' '}
          From 95% on, we call it validated.
        </p>
      </div>
      <EvidenceList name="Evidence" evidence={telling} />
      {silent.length > 0 && (
        <details className={styles.more}>
          <summary>{countOf(silent.length, 'place was', 'places were')} looked at and said nothing</summary>
          <EvidenceList name="Looked at" evidence={silent} />
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

/** To the right of the middle for, to the left against; the words beside it say the same. */
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
