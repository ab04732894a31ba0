import { plans } from '@mailproof/shared-types';
import { Link } from '@tanstack/react-router';
import { $api, type Schema } from '../../api/client.ts';
import { countOf, formatCredits, formatDay, formatNumber } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { Failure, Loading, Notice } from '../../design/states.tsx';
import { operationName } from '../../ledger/operations.ts';
import { barsOf, monthOf, totalsOf } from '../../ledger/spending.ts';
import { expiriesOf } from './expiries.ts';
import styles from './home.module.css';

const shownMax = 3;

/** The available and held credits, and when credits expire. */
export function CreditsCard() {
  const balance = $api.useQuery('get', '/balance');
  return (
    <Card title="Credits">
      {balance.isPending && <Loading lines={3} name="Loading balance" />}
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
        {held > 0 && <li>{formatCredits(held)} held by work in progress; unused credits are returned</li>}
        {expiries.slice(0, shownMax).map(({ at, credits }) => (
          <li key={at ?? 'never'}>{expiryWords(credits, at)}</li>
        ))}
        {expiries.length > shownMax && <li>Other credits last longer</li>}
        {available === 0 && <li>Wait for the next billing cycle, or upgrade your plan.</li>}
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

/** The account's plan and its state. */
export function PlanCard() {
  const plan = $api.useQuery('get', '/plan');
  return (
    <Card title="Plan">
      {plan.isPending && <Loading lines={3} name="Loading plan" />}
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
          {payment.lapses_at && `The plan stays active until ${formatDay(payment.lapses_at)}.`}
        </Notice>
      )}
      {payment.state === 'lapsed' && (
        <Notice tone="bad" title="The plan has lapsed.">
          It is restored as soon as you pay.
        </Notice>
      )}
      <ul className={styles.lines}>
        <li>
          {plan.credits_per_cycle > 0
            ? `${formatCredits(plan.credits_per_cycle)} per billing cycle`
            : 'Credits by agreement'}
        </li>
        {cycle && <li>This cycle ends on {formatDay(cycle.ends_at)}</li>}
        <li>
          {plan.api_access
            ? `${countOf(rate, 'API request')} per second`
            : 'No API key; all web features are included'}
        </li>
        {change && (
          <li>
            {change.effective_at
              ? `Changes to ${plans[change.plan].title} on ${formatDay(change.effective_at)}`
              : `Changes to ${plans[change.plan].title} once it is paid`}
          </li>
        )}
      </ul>
    </>
  );
}

/** The spending of the current month. */
export function MonthCard() {
  const usage = $api.useQuery('get', '/usage', { params: { query: monthOf(new Date()) } });
  return (
    <Card title="This month">
      {usage.isPending && <Loading lines={3} name="Loading usage" />}
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
          ? `Mostly ${inSentence(operationName(most.operation))}: ${formatCredits(most.spent)}.`
          : 'No credits spent yet.'}
      </p>
      <Link to="/usage" search={{ period: undefined }} className={styles.more}>
        Usage
      </Link>
    </>
  );
}

/** A bar for each day, drawn without a chart library; the linked screen shows the numbers. */
function Bars({ usage }: { readonly usage: Schema['Usage'] }) {
  const bars = barsOf(usage.days, usage);
  const most = Math.max(1, ...bars.map(({ spent }) => spent));
  const busiest = bars.find(({ spent }) => spent === most)?.day ?? usage.until;
  const name = `Credits by day since ${formatDay(usage.from)}; the highest on ${formatDay(busiest)}, ${formatNumber(most)}`;
  return (
    <div className={styles.bars} role="img" aria-label={name}>
      {bars.map(({ day, spent }) => (
        <span key={day} style={{ height: `${spent === 0 ? 0 : Math.max(6, (100 * spent) / most)}%` }} />
      ))}
    </div>
  );
}

/** A name inside a sentence: `list validations`, but `API validations`. */
function inSentence(name: string): string {
  return /^[A-Z][a-z]/.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name;
}
