import { $api, type Schema } from '../../api/client.ts';
import { formatDay, formatNumber } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { Failure, Loading } from '../../design/states.tsx';
import styles from './usage.module.css';

type Allowance = Schema['AccountBalance']['allowances'][number];

const names: Readonly<Record<Allowance['allowance'], string>> = {
  people_preview: 'Free previews of people searches',
};

/** What the billing cycle allows free of charge. */
export function Allowances() {
  const balance = $api.useQuery('get', '/balance');
  return (
    <Card title="Free of charge in this billing cycle">
      {balance.isPending && <Loading lines={1} />}
      {balance.isError && <Failure error={balance.error} onRetry={balance.refetch} />}
      {balance.data?.allowances.length === 0 && (
        <p className={styles.soft}>Nothing yet: the first billing cycle has not begun.</p>
      )}
      {balance.data?.allowances.map(each => (
        <Meter key={each.allowance} allowance={each} />
      ))}
    </Card>
  );
}

function Meter({ allowance }: { readonly allowance: Allowance }) {
  const { limit, used, cycle_ends_at: endsAt } = allowance;
  const name = names[allowance.allowance];
  return (
    <div className={styles.meter}>
      <span>{name}</span>
      <span className={styles.soft}>
        {formatNumber(used)} of {formatNumber(limit)} used, new ones on {formatDay(endsAt)}
      </span>
      <meter min={0} max={Math.max(1, limit)} value={used} aria-label={name} />
    </div>
  );
}
