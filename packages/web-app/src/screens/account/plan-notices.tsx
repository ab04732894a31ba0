import { plans } from '@mailproof/shared-types';
import { useState } from 'react';
import { AnchorButton, Button } from '../../design/button.tsx';
import { formatDay } from '../../design/format.ts';
import { Row } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import type { PlanChange } from './change-plan.tsx';
import type { AccountPlan } from './plan-facts.ts';

interface PlanNoticesProps {
  readonly current: AccountPlan;
  /** What was said when the change was asked for, as long as one stays here. */
  readonly asked: PlanChange | undefined;
  /** Undefined for whoever may not. */
  readonly onTakeBack: (() => Promise<void>) | undefined;
}

/** What has to be known about the plan right now: a payment that is missing, a change that is under way. */
export function PlanNotices({ current, asked, onTakeBack }: PlanNoticesProps) {
  const { payment, plan, pending_change: pending } = current;
  return (
    <>
      {payment.state === 'overdue' && (
        <Notice tone="caution" title="A payment is missing">
          <span>
            {plan.title} goes on{payment.lapses_at && ` until ${formatDay(payment.lapses_at)}`}. Without the
            payment the account falls back to {plans.free.title} then.
          </span>
        </Notice>
      )}
      {payment.state === 'lapsed' && (
        <Notice tone="bad" title={`The account fell back to ${plans.free.title}`}>
          <span>
            A payment was missing.
            {payment.lapsed_plan && ` ${plans[payment.lapsed_plan].title} comes back as soon as it is paid.`}
          </span>
        </Notice>
      )}
      {pending && <Pending {...{ current, pending, asked, onTakeBack }} />}
    </>
  );
}

function Pending({
  current,
  pending,
  asked,
  onTakeBack,
}: PlanNoticesProps & { readonly pending: NonNullable<AccountPlan['pending_change']> }) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const { title } = plans[pending.plan];
  const url =
    asked?.payment?.kind === 'pay_online' && /^https:\/\//.test(asked.payment.url) ? asked.payment.url : '';
  async function takeBack() {
    setBusy(true);
    setError(undefined);
    await onTakeBack?.().catch(setError);
    setBusy(false);
  }
  return (
    <Notice
      tone="neutral"
      title={
        pending.effective_at
          ? `${title} from ${formatDay(pending.effective_at)}`
          : `${title} awaits its payment`
      }
    >
      <span>
        {pending.effective_at
          ? `You keep ${current.plan.title} until then.`
          : 'Whoever runs this Mailproof tells you how to pay. It begins when the payment is confirmed.'}
      </span>
      {error !== undefined && <Failure error={error} />}
      <Row>
        {url && (
          <AnchorButton href={url} rel="noreferrer" look="primary">
            Pay
          </AnchorButton>
        )}
        {onTakeBack && (
          <Button onClick={takeBack} busy={busy}>
            Take the change back
          </Button>
        )}
      </Row>
    </Notice>
  );
}
