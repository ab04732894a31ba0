import { Check, Minus } from 'lucide-react';
import { useState } from 'react';
import { $api, api, queryClient } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { formatDay, formatNumber } from '../../design/format.ts';
import { Card, Facts, Stack } from '../../design/layout.tsx';
import { ShareLine } from '../../design/progress.tsx';
import { Answered } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { useSession } from '../../shell/session.ts';
import styles from './account.module.css';
import { AccountPage, OwnersOnly } from './account-page.tsx';
import { OnlinePayment } from './online-payment.tsx';
import { type AccountPlan, cycleShare, type Plan, planFacts } from './plan-facts.ts';
import { ChangePlan, type PlanChange, PlanNotices } from './plan-notices.tsx';

/** The account's plan, its billing cycle, and the other plans. */
export function PlanScreen() {
  return (
    <AccountPage title="Plan" lead="What your account includes, and how to change it.">
      <Answered question={$api.useQuery('get', '/plan')} lines={5} loading="Loading plan">
        {current => <AccountsPlan current={current} />}
      </Answered>
    </AccountPage>
  );
}

function AccountsPlan({ current }: { readonly current: AccountPlan }) {
  const isOwner = useSession().role === 'owner';
  const [chosen, setChosen] = useState<Plan>();
  const [asked, setAsked] = useState<PlanChange>();
  async function withdrawChange() {
    const { data } = await api.DELETE('/plan/change');
    queryClient.setQueryData($api.queryOptions('get', '/plan').queryKey, data);
    setAsked(undefined);
    announce(`Your account stays on ${current.plan.title}.`);
  }
  return (
    <Stack>
      <PlanNotices current={current} asked={asked} onWithdraw={isOwner ? withdrawChange : undefined} />
      <Card title={`Your plan: ${current.plan.title}`}>
        {current.plan.credits_per_cycle > 0 ? (
          <p className={styles.figure}>
            <strong>{formatNumber(current.plan.credits_per_cycle)}</strong> credits per month
          </p>
        ) : (
          <p>Credits by agreement</p>
        )}
        {current.cycle && (
          <Timeline cycle={current.cycle} areCreditsIncluded={current.plan.credits_per_cycle > 0} />
        )}
        <Facts
          facts={[
            ['API key', current.plan.api_access ? 'Yes' : 'Not on this plan'],
            ['Requests per second', formatNumber(current.requests_per_second)],
            [
              'Members',
              current.plan.members_max === 1 ? '1' : `Up to ${formatNumber(current.plan.members_max)}`,
            ],
            ['Payment', paymentWords(current)],
          ]}
        />
      </Card>
      {isOwner && current.online_payment && <OnlinePayment {...current.online_payment} />}
      {!isOwner && <OwnersOnly>Only owners can change the plan.</OwnersOnly>}
      {isOwner && current.choices.length === 0 && (
        <OwnersOnly>You have a custom plan. Contact your administrator to change it.</OwnersOnly>
      )}
      {isOwner && current.choices.length > 0 && (
        <>
          <h2>Change plan</h2>
          <div className={styles.plans}>
            {current.choices.map(plan => (
              <Choice key={plan.name} plan={plan} current={current} onChoose={() => setChosen(plan)} />
            ))}
          </div>
        </>
      )}
      {chosen && (
        <ChangePlan current={current} to={chosen} onAsked={setAsked} onClose={() => setChosen(undefined)} />
      )}
    </Stack>
  );
}

function paymentWords({ payment }: AccountPlan): string {
  if (payment.state === 'not_needed') return 'Not required';
  return payment.paid_until ? `Paid until ${formatDay(payment.paid_until)}` : 'Awaiting payment';
}

/** The billing cycle as a bar, filled up to today. */
function Timeline({
  cycle,
  areCreditsIncluded,
}: {
  readonly cycle: NonNullable<AccountPlan['cycle']>;
  readonly areCreditsIncluded: boolean;
}) {
  return (
    <div className={styles.timeline}>
      <ShareLine value={cycleShare(cycle, new Date())} />
      <div className={styles.ends}>
        <span>
          <span className="visually-hidden">The billing cycle started </span>
          {formatDay(cycle.starts_at)}
        </span>
        <span>
          {areCreditsIncluded ? 'Unused credits expire' : 'Billing cycle ends'} {formatDay(cycle.ends_at)}
        </span>
      </div>
    </div>
  );
}

interface ChoiceProps {
  readonly plan: Plan;
  readonly current: AccountPlan;
  readonly onChoose: () => void;
}

function Choice({ plan, current, onChoose }: ChoiceProps) {
  const isCurrent = plan.name === current.plan.name;
  const isPending = plan.name === current.pending_change?.plan;
  return (
    <Card
      title={plan.title}
      actions={
        (isCurrent || isPending) && <Badge tone="good">{isCurrent ? 'Current plan' : 'Requested'}</Badge>
      }
    >
      <div className={styles.plan}>
        <ul>
          {planFacts(plan).map(({ words, isThere }) => (
            <li key={words} data-off={isThere ? undefined : ''}>
              {isThere ? <Check size={16} aria-hidden /> : <Minus size={16} aria-hidden />}
              {words}
            </li>
          ))}
        </ul>
        {!isCurrent && !isPending && <Button onClick={onChoose}>Choose {plan.title}</Button>}
      </div>
    </Card>
  );
}
