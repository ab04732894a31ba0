import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useMemo } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { LinkButton } from '../../design/button.tsx';
import { formatCredits, formatDay, formatNumber, formatShare } from '../../design/format.ts';
import { Card, Grid } from '../../design/layout.tsx';
import { Empty, Failure, Loading } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { operationColor, operationName } from '../../ledger/operations.ts';
import { daysOf, periodDefault, totalsOf } from '../../ledger/spending.ts';
import { ForecastCard } from './forecast-card.tsx';
import styles from './usage.module.css';
import { UsageFrame } from './usage-frame.tsx';

const route = getRouteApi('/signed-in/usage');

// Loaded lazily: the chart library is as large as the rest of the application, and the text and numbers do not wait for
// it.
const UsageChart = lazy(async () => ({ default: (await import('./usage-chart.tsx')).UsageChart }));

/** Credits by day and operation. */
export function UsageScreen() {
  const { period } = route.useSearch();
  const navigate = route.useNavigate();
  const days = daysOf(period ?? periodDefault, new Date());
  const usage = $api.useQuery('get', '/usage', { params: { query: days } });
  return (
    <UsageFrame
      title="Usage"
      lead="Credits spent, by operation and day."
      period={period}
      onPeriod={next => navigate({ search: { period: next }, replace: true })}
    >
      {usage.isPending && <Loading lines={6} name="Loading usage" />}
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
        title="No credits spent in this period"
        action={
          <LinkButton to="/check" look="primary">
            Check one address
          </LinkButton>
        }
      >
        When you check an address, validate a list or save people, the cost appears here.
      </Empty>
    );
  }
  return (
    <>
      <Grid>
        <Card title="Spent">
          <p className={styles.big}>{formatCredits(usage.spent)}</p>
          <p className={styles.soft}>
            {formatDay(usage.from)} to {formatDay(usage.until)}, in UTC
          </p>
        </Card>
        <Card title="By operation">
          <Totals usage={usage} />
        </Card>
        <ForecastCard />
      </Grid>
      <Card title="By day">
        <Suspense fallback={<Loading lines={6} name="Loading chart" />}>
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
          <span className={styles.swatch} style={{ background: operationColor(operation) }} aria-hidden />
          <span>{operationName(operation)}</span>
          <span className={styles.number}>
            {formatNumber(spent)} <small>({formatShare(spent / usage.spent)})</small>
          </span>
        </li>
      ))}
    </ul>
  );
}

type Allowance = Schema['AccountBalance']['allowances'][number];

const names: Readonly<Record<Allowance['allowance'], string>> = {
  people_preview: 'Free previews of people and company searches',
};

/** The free allowances of the billing cycle. */
function Allowances() {
  const balance = $api.useQuery('get', '/balance');
  return (
    <Card title="Free allowances in this billing cycle">
      {balance.isPending && <Loading lines={1} />}
      {balance.isError && <Failure error={balance.error} onRetry={balance.refetch} />}
      {balance.data?.allowances.length === 0 && (
        <p className={styles.soft}>None yet: the first billing cycle has not started.</p>
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
        {formatNumber(used)} of {formatNumber(limit)} used, resets on {formatDay(endsAt)}
      </span>
      <meter min={0} max={Math.max(1, limit)} value={used} aria-label={name} />
    </div>
  );
}

type UsageDay = Schema['Usage']['days'][number];

const columns: readonly Column<UsageDay>[] = [
  { id: 'day', header: 'Day', width: 'minmax(7rem, 1fr)', cell: ({ day }) => formatDay(day) },
  { id: 'what', header: 'Operation', width: 'minmax(12rem, 2fr)', cell: row => operationName(row.operation) },
  { id: 'spent', header: 'Credits', width: '7rem', align: 'end', cell: row => formatNumber(row.spent) },
];

/** The data of the chart as a table. */
function UsageTable({ usage }: { readonly usage: Schema['Usage'] }) {
  const rows = useMemo(() => usage.days.toReversed(), [usage]);
  return (
    <details className={styles.more}>
      <summary>Show as table</summary>
      <DataTable
        name="Credits by day and operation"
        columns={columns}
        rows={rows}
        rowId={({ day, operation }) => `${day} ${operation}`}
      />
    </details>
  );
}
