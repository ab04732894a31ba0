import { $api, type Schema } from '../../api/client.ts';
import { countOf, formatCredits, formatDay } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { Failure, Loading, Notice } from '../../design/states.tsx';
import styles from './home.module.css';

/** What the account has bought, and how it stands with it. */
export function PlanCard() {
  const plan = $api.useQuery('get', '/plan');
  return (
    <Card title="Plan">
      {plan.isPending && <Loading lines={3} name="Loading the plan" />}
      {plan.isError && <Failure error={plan.error} onRetry={plan.refetch} />}
      {plan.data && <Plan standing={plan.data} />}
    </Card>
  );
}

function Plan({ standing }: { readonly standing: Schema['AccountPlan'] }) {
  const { plan, cycle, payment, pending_change: change, requests_per_second: rate } = standing;
  return (
    <>
      <p className={styles.big}>{plan.title}</p>
      {payment.state === 'overdue' && (
        <Notice tone="caution" title="Payment is overdue.">
          {payment.lapses_at && `The plan goes on until ${formatDay(payment.lapses_at)}.`}
        </Notice>
      )}
      {payment.state === 'lapsed' && (
        <Notice tone="bad" title="The plan has lapsed.">
          It comes back once it is paid.
        </Notice>
      )}
      <ul className={styles.lines}>
        <li>
          {plan.credits_per_cycle > 0
            ? `${formatCredits(plan.credits_per_cycle)} each billing cycle`
            : 'Credits by agreement'}
        </li>
        {cycle && <li>This cycle ends on {formatDay(cycle.ends_at)}</li>}
        <li>
          {plan.api_access
            ? `${countOf(rate, 'request')} a second by API`
            : 'No API key; everything on these pages works'}
        </li>
        {change && (
          <li>
            {change.effective_at
              ? `Changes to ${change.plan} on ${formatDay(change.effective_at)}`
              : `Changes to ${change.plan} once it is paid`}
          </li>
        )}
      </ul>
    </>
  );
}
