import { Link } from '@tanstack/react-router';
import { $api } from '../api/client.ts';
import { classes } from './classes.ts';
import styles from './credits.module.css';
import { formatCredits, formatNumber } from './format.ts';

/** The price of something ahead of its start, beside what there is to pay it with. */
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
              {formatCredits(max - balance.available)} too few: there are {formatNumber(balance.available)}.{' '}
              <Link to="/account">Look at the plans</Link>
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
  /** Null until it has ended. */
  readonly spent: number | null;
  readonly returned: number | null;
  /** Leads to the receipt as a document. */
  readonly receiptId?: string | undefined;
}

/** What became of the credits that were set aside. */
export function Receipt({ reserved, spent, returned, receiptId }: ReceiptProps) {
  const parts = { Reserved: reserved, Spent: spent, Returned: returned };
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
