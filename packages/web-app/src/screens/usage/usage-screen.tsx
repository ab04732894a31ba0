import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { LinkButton } from '../../design/button.tsx';
import { formatCredits, formatDay, formatNumber, formatShare } from '../../design/format.ts';
import { Card, Grid } from '../../design/layout.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { operationColour, operationName } from '../../ledger/operations.ts';
import { daysOf, periodDefault } from '../../ledger/period.ts';
import { totalsOf } from '../../ledger/spending.ts';
import { Allowances } from './allowances.tsx';
import styles from './usage.module.css';
import { UsageFrame } from './usage-frame.tsx';
import { UsageTable } from './usage-table.tsx';

const route = getRouteApi('/signed-in/usage');

// The library that draws is as large as the rest of the application; words and numbers do not wait for it.
const UsageChart = lazy(async () => ({ default: (await import('./usage-chart.tsx')).UsageChart }));

/** Credits by day and operation. */
export function UsageScreen() {
  const { period } = route.useSearch();
  const navigate = route.useNavigate();
  const days = daysOf(period ?? periodDefault, new Date());
  const usage = $api.useQuery('get', '/usage', { params: { query: days } });
  return (
    <UsageFrame period={period} onPeriod={next => navigate({ search: { period: next }, replace: true })}>
      {usage.isPending && <Loading lines={6} name="Loading the usage" />}
      {usage.isError && <Failure error={usage.error} onRetry={usage.refetch} />}
      {usage.data && <Spent usage={usage.data} />}
      <Allowances />
    </UsageFrame>
  );
}

function Spent({ usage }: { readonly usage: Schema['Usage'] }) {
  if (usage.spent === 0) {
    return (
      <Empty
        title="Nothing was spent in this period"
        action={
          <LinkButton to="/check" look="primary">
            Check an address
          </LinkButton>
        }
      >
        As soon as you check an address, validate a list or save people, you see here what it cost.
      </Empty>
    );
  }
  return (
    <>
      <Grid>
        <Card title="Spent">
          <p className={styles.big}>{formatCredits(usage.spent)}</p>
          <p className={styles.soft}>
            {formatDay(usage.from)} to {formatDay(usage.until)}, in days of UTC
          </p>
        </Card>
        <Card title="On what">
          <Totals usage={usage} />
        </Card>
      </Grid>
      <Card title="By day">
        <Suspense fallback={<Loading lines={6} name="Loading the chart" />}>
          <UsageChart usage={usage} />
        </Suspense>
        <UsageTable usage={usage} />
      </Card>
    </>
  );
}

function Totals({ usage }: { readonly usage: Schema['Usage'] }) {
  return (
    <ul className={styles.totals}>
      {totalsOf(usage.days).map(({ operation, spent }) => (
        <li key={operation}>
          <span className={styles.swatch} style={{ background: operationColour(operation) }} aria-hidden />
          <span>{operationName(operation)}</span>
          <span className={styles.number}>
            {formatNumber(spent)} <small>({formatShare(spent / usage.spent)})</small>
          </span>
        </li>
      ))}
    </ul>
  );
}
