import { $api } from '../../api/client.ts';
import { formatDay, formatNumber } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { Failure, Loading } from '../../design/states.tsx';
import { forecastOf } from '../../ledger/forecast.ts';
import { daysOf } from '../../ledger/spending.ts';
import styles from './usage.module.css';

/** How long the credits last at the pace of the last 30 days. */
export function ForecastCard() {
  const usage = $api.useQuery('get', '/usage', { params: { query: daysOf('30d', new Date()) } });
  const balance = $api.useQuery('get', '/balance');
  const failed = [usage, balance].find(({ isError }) => isError);
  const forecast = usage.data && balance.data && forecastOf(usage.data, balance.data.grants);
  return (
    <Card title="At this pace">
      {failed ? (
        <Failure error={failed.error} onRetry={failed.refetch} />
      ) : !usage.data || !balance.data ? (
        <Loading lines={2} name="Loading forecast" />
      ) : balance.data.available === 0 ? (
        <p className={styles.soft}>No credits are available.</p>
      ) : !forecast ? (
        <p className={styles.soft}>No credits were spent in the last 30 days, so there is no forecast.</p>
      ) : (
        <>
          <p className={styles.big}>{forecast.until ? formatDay(forecast.until) : 'More than a year'}</p>
          <p className={styles.soft}>
            {forecast.until ? 'Credits last until this day' : 'Credits last longer than that'} at{' '}
            {paceText(forecast.pace)} a day, the average of the last {forecast.days} days. New credits and
            credits held by work in progress are not included.
          </p>
          {forecast.expiring > 0 && (
            <p className={styles.soft}>
              {formatNumber(forecast.expiring)} of them expire before you spend them.
            </p>
          )}
        </>
      )}
    </Card>
  );
}

function paceText(pace: number): string {
  if (pace < 1) return 'less than 1 credit';
  const rounded = Math.round(pace);
  return rounded === 1 ? 'about 1 credit' : `about ${formatNumber(rounded)} credits`;
}
