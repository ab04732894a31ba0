import { formatNumber } from '../../design/format.ts';
import { type Export, isUnderWay, rowsIn } from './export-words.ts';
import styles from './exports.module.css';

/** What became of the rows, in numbers and as a bar. */
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
    { name: 'Left out', rows: gone, look: styles.barGone, isShown: true },
    { name: 'Still to go', rows: pending, look: undefined, isShown: isUnderWay(record) || pending > 0 },
  ].filter(({ isShown }) => isShown);
  return (
    <>
      {!isUnderWay(record) && (
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
            <p className={styles.soft}>A dry run: nothing was written. This is what a push would do.</p>
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
          Left out: rows whose record was deleted or suppressed before it was their turn.
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
