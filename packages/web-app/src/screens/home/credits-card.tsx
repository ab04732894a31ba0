import { Link } from '@tanstack/react-router';
import { $api, type Schema } from '../../api/client.ts';
import { formatCredits, formatDay, formatNumber } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { Failure, Loading } from '../../design/states.tsx';
import { expiriesOf } from './expiries.ts';
import styles from './home.module.css';

const shownMax = 3;

/** What there is to spend, what is held, and what expires when. */
export function CreditsCard() {
  const balance = $api.useQuery('get', '/balance');
  return (
    <Card title="Credits">
      {balance.isPending && <Loading lines={3} name="Loading the balance" />}
      {balance.isError && <Failure error={balance.error} onRetry={balance.refetch} />}
      {balance.data && <Balance balance={balance.data} />}
    </Card>
  );
}

function Balance({ balance }: { readonly balance: Schema['AccountBalance'] }) {
  const { available, held, grants } = balance;
  const expiries = expiriesOf(grants);
  return (
    <>
      <p>
        <strong className={styles.big}>{formatNumber(available)}</strong>{' '}
        {available === 1 ? 'credit' : 'credits'} available
      </p>
      <ul className={styles.lines}>
        {held > 0 && <li>{formatCredits(held)} held by running work; what it does not use comes back</li>}
        {expiries.slice(0, shownMax).map(({ at, credits }) => (
          <li key={at ?? 'never'}>{expiryWords(credits, at)}</li>
        ))}
        {expiries.length > shownMax && <li>and more later</li>}
        {available === 0 && (
          <li>New ones come with the next billing cycle, or with a larger plan at once.</li>
        )}
      </ul>
      <Link to="/usage/statement" search={{ period: undefined, show: undefined }} className={styles.more}>
        Statement
      </Link>
    </>
  );
}

function expiryWords(credits: number, at: string | null): string {
  if (at !== null) return `${formatNumber(credits)} until ${formatDay(at)}`;
  return `${formatNumber(credits)} never ${credits === 1 ? 'expires' : 'expire'}`;
}
