import { Link } from '@tanstack/react-router';
import { $api } from '../api/client.ts';
import styles from './credits.module.css';
import { formatCredits, formatNumber } from './format.ts';
import { classes } from './looks.ts';

/** The price of an action before it starts, next to the available balance. */
export function Cost({ max, note }: { readonly max: number; readonly note?: string }) {
  const { data: balance } = $api.useQuery('get', '/balance');
  const isShort = balance !== undefined && balance.available < max;
  return (
    <div className={classes(styles.cost, isShort && styles.short)}>
      <span>
        <strong>{max === 0 ? 'Free' : `At most ${formatCredits(max)}`}</strong>
        {note && ` ${note}`}
      </span>
      {balance && (
        <span>
          {isShort ? (
            <>
              {formatCredits(max - balance.available)} short: you have {formatNumber(balance.available)}.{' '}
              <Link to="/account">See plans</Link>
            </>
          ) : (
            `${formatCredits(balance.available)} available`
          )}
        </span>
      )}
    </div>
  );
}

interface ReceiptProps {
  readonly reserved: number;
  /** Null until the work has ended. */
  readonly spent: number | null;
  readonly returned: number | null;
  /** What the work has cost until now; shown until it has ended. */
  readonly spentSoFar?: number;
  /** Adds a link to the full receipt. */
  readonly receiptId?: string | undefined;
}

/** Shows how many reserved credits were spent and returned. */
export function Receipt({ reserved, spent, returned, spentSoFar, receiptId }: ReceiptProps) {
  const parts =
    spent === null && spentSoFar !== undefined
      ? { Reserved: reserved, 'Spent so far': spentSoFar }
      : { Reserved: reserved, Spent: spent, Returned: returned };
  return (
    <>
      <dl className={styles.receipt}>
        {Object.entries(parts).map(([name, credits]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{credits === null ? '–' : formatNumber(credits)}</dd>
          </div>
        ))}
      </dl>
      {receiptId && (
        <Link to="/usage/receipts/$runId" params={{ runId: receiptId }} className={styles.link}>
          Receipt
        </Link>
      )}
    </>
  );
}
