import { Link } from '@tanstack/react-router';
import { $api, type Schema } from '../../api/client.ts';
import { formatCredits, formatDay, formatNumber } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { Failure, Loading } from '../../design/states.tsx';
import { operationName } from '../../ledger/operations.ts';
import { monthOf } from '../../ledger/period.ts';
import { barsOf, totalsOf } from '../../ledger/spending.ts';
import styles from './home.module.css';

/** The month so far, at a glance. */
export function MonthCard() {
  const usage = $api.useQuery('get', '/usage', { params: { query: monthOf(new Date()) } });
  return (
    <Card title="This month">
      {usage.isPending && <Loading lines={3} name="Loading the usage" />}
      {usage.isError && <Failure error={usage.error} onRetry={usage.refetch} />}
      {usage.data && <Month usage={usage.data} />}
    </Card>
  );
}

function Month({ usage }: { readonly usage: Schema['Usage'] }) {
  const [most] = totalsOf(usage.days);
  return (
    <>
      <p>
        <strong className={styles.big}>{formatNumber(usage.spent)}</strong>{' '}
        {usage.spent === 1 ? 'credit' : 'credits'} spent
      </p>
      {most && <Bars usage={usage} />}
      <p className={styles.soft}>
        {most
          ? `Most of it on: ${operationName(most.operation).toLowerCase()}, ${formatCredits(most.spent)}.`
          : 'Nothing was spent yet.'}
      </p>
      <Link to="/usage" search={{ period: undefined }} className={styles.more}>
        Usage
      </Link>
    </>
  );
}

/** A bar for each day, without a library: numbers are on the screen that it leads to. */
function Bars({ usage }: { readonly usage: Schema['Usage'] }) {
  const bars = barsOf(usage.days, usage);
  const most = Math.max(1, ...bars.map(({ spent }) => spent));
  const busiest = bars.find(({ spent }) => spent === most)?.day ?? usage.until;
  const name = `Credits by day since ${formatDay(usage.from)}; the most on ${formatDay(busiest)}, ${formatNumber(most)}`;
  return (
    <div className={styles.bars} role="img" aria-label={name}>
      {bars.map(({ day, spent }) => (
        <span key={day} style={{ height: `${spent === 0 ? 0 : Math.max(6, (100 * spent) / most)}%` }} />
      ))}
    </div>
  );
}
