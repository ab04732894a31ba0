import type { Schema } from '../../api/client.ts';
import { formatNumber } from '../../design/format.ts';
import styles from './action-counts.module.css';

interface ActionCountsProps {
  readonly run: Schema['Export'];
  readonly isDryRun?: boolean;
}

/** What became, or would become, of the rows of a push: as a picture and in numbers. */
export function ActionCounts({ run, isDryRun }: ActionCountsProps) {
  const { created = 0, updated = 0, skipped = 0 } = run.actions ?? {};
  const would = isDryRun ? 'Would be ' : '';
  const parts = [
    { look: styles.created, name: `${would}created`, count: created },
    { look: styles.updated, name: `${would}changed`, count: updated },
    { look: styles.skipped, name: `${would}skipped`, count: skipped },
    { look: styles.failed, name: isDryRun ? 'Would fail' : 'failed', count: run.rows.failed + run.rows.gone },
  ];
  return (
    <div className={styles.counts}>
      <div className={styles.bar} aria-hidden>
        {parts
          .filter(({ count }) => count > 0)
          .map(({ name, look, count }) => (
            <span key={name} className={look} style={{ flexGrow: count }} />
          ))}
      </div>
      <dl className={styles.legend}>
        {parts.map(({ name, look, count }) => (
          <div key={name}>
            <dt>
              <span className={look} aria-hidden />
              {capital(name)}
            </dt>
            <dd>{formatNumber(count)}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
