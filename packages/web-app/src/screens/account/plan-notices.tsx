import { choosablePlanNames, plans } from '@mailproof/shared-types';
import { ArrowRight } from 'lucide-react';
import { useState } from 'react';
import { $api, api, queryClient } from '../../api/client.ts';
import { Button, LeaveButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { formatDay } from '../../design/format.ts';
import { Row } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import styles from './account.module.css';
import { paymentPage } from './online-payment.tsx';
import { type AccountPlan, changeSentences, type Plan } from './plan-facts.ts';

interface PlanNoticesProps {
  readonly current: AccountPlan;
  /** The response to the request for the change, until the user leaves the screen. */
  readonly asked: PlanChange | undefined;
  /** Undefined for users who may not cancel the change. */
  readonly onWithdraw: (() => Promise<void>) | undefined;
}

/** Notices about the plan: a missing payment, a pending change. */
export function PlanNotices({ current, asked, onWithdraw }: PlanNoticesProps) {
  const { payment, plan, pending_change: pending } = current;
  return (
    <>
      {payment.state === 'overdue' && (
        <Notice tone="caution" title="Payment overdue">
          <span>
            {plan.title} stays active{payment.lapses_at && ` until ${formatDay(payment.lapses_at)}`}. Without
            payment, the account returns to {plans.free.title} then.
          </span>
        </Notice>
      )}
      {payment.state === 'lapsed' && (
        <Notice tone="bad" title={`Your account is back on ${plans.free.title}`}>
          <span>
            A payment was not received.
            {payment.lapsed_plan && ` ${plans[payment.lapsed_plan].title} is restored as soon as you pay.`}
          </span>
        </Notice>
      )}
      {pending && <Pending {...{ current, pending, asked, onWithdraw }} />}
    </>
  );
}

function Pending({
  current,
  pending,
  asked,
  onWithdraw,
}: PlanNoticesProps & { readonly pending: NonNullable<AccountPlan['pending_change']> }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { title } = plans[pending.plan];
  const isPaidOnline = current.online_payment !== null && pending.takes_effect === 'on_payment';
  const url = asked?.payment?.kind === 'pay_online' ? asked.payment.url : undefined;
  async function withdrawChange() {
    setBusy(true);
    setError(undefined);
    await onWithdraw?.().catch(setError);
    setBusy(false);
  }
  return (
    <Notice
      tone="neutral"
      title={
        pending.effective_at
          ? `${title} from ${formatDay(pending.effective_at)}`
          : `${title} is waiting for payment`
      }
    >
      <span>
        {pending.effective_at
          ? `You keep ${current.plan.title} until then.`
          : isPaidOnline
            ? 'The plan starts a few seconds after you pay.'
            : 'Your administrator will tell you how to pay. The plan starts when the payment is confirmed.'}
      </span>
      {error !== undefined && <Failure error={error} />}
      <Row>
        {isPaidOnline && onWithdraw && (
          // A repeated request for the same plan returns the page of the same order.
          <LeaveButton
            look="primary"
            findUrl={async () => paymentPage(url ?? payUrlOf(await ask(pending.plan)))}
            onError={setError}
          >
            Pay
          </LeaveButton>
        )}
        {onWithdraw && (
          <Button onClick={withdrawChange} busy={busy}>
            Cancel plan change
          </Button>
        )}
      </Row>
    </Notice>
  );
}

/** The API's response to a plan change; it says how to pay if the change waits for payment. */
export type PlanChange = NonNullable<Awaited<ReturnType<typeof ask>>>;

interface ChangePlanProps {
  readonly current: AccountPlan;
  readonly to: Plan;
  readonly onAsked: (change: PlanChange) => void;
  readonly onClose: () => void;
}

/** Explains what a plan change does, and when, before the user requests it. */
export function ChangePlan({ current, to, onAsked, onClose }: ChangePlanProps) {
  async function confirm() {
    const change = await ask(to.name);
    if (!change) return;
    queryClient.setQueryData($api.queryOptions('get', '/plan').queryKey, change.account_plan);
    onAsked(change);
    announce(`${to.title} requested.`);
  }
  return (
    <Confirm
      title={`Change to ${to.title}?`}
      lead="What happens:"
      verb={`Change to ${to.title}`}
      open
      onOpenChange={open => !open && onClose()}
      onConfirm={confirm}
    >
      <ul className={styles.changes}>
        {changeSentences(current, to).map(sentence => (
          <li key={sentence}>
            <ArrowRight size={16} aria-hidden />
            {sentence}
          </li>
        ))}
      </ul>
    </Confirm>
  );
}

function payUrlOf(change: PlanChange | undefined): string | undefined {
  return change?.payment?.kind === 'pay_online' ? change.payment.url : undefined;
}

async function ask(name: Plan['name']) {
  const plan = choosablePlanNames.find(each => each === name);
  if (!plan) throw new Error('You have a custom plan.');
  return (await api.POST('/plan/change', { body: { plan } })).data;
}
