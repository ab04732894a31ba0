import { Check, Minus } from 'lucide-react';
import { useState } from 'react';
import { $api, api, queryClient } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { Answered } from '../../design/answered.tsx';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { formatDay, formatNumber } from '../../design/format.ts';
import { Card, Facts, Stack } from '../../design/layout.tsx';
import { ShareLine } from '../../design/progress.tsx';
import { announce } from '../../design/toasts.tsx';
import styles from './account.module.css';
import { AccountPage, OwnersOnly } from './account-page.tsx';
import { ChangePlan, type PlanChange } from './change-plan.tsx';
import { type AccountPlan, cycleShare, type Plan, planFacts } from './plan-facts.ts';
import { PlanNotices } from './plan-notices.tsx';

/** What the account has, until when, and what else it could have. */
export function PlanScreen() {
  return (
    <AccountPage title="Plan" lead="What your account brings each month, and how to change it.">
      <Answered question={$api.useQuery('get', '/plan')} lines={5} loading="Loading the plan">
        {current => <AccountsPlan current={current} />}
      </Answered>
    </AccountPage>
  );
}

function AccountsPlan({ current }: { readonly current: AccountPlan }) {
  const isOwner = useSession().role === 'owner';
  const [chosen, setChosen] = useState<Plan>();
  const [asked, setAsked] = useState<PlanChange>();
  async function takeBack() {
    const { data } = await api.DELETE('/plan/change');
    queryClient.setQueryData($api.queryOptions('get', '/plan').queryKey, data);
    setAsked(undefined);
    announce(`Your account stays on ${current.plan.title}.`);
  }
  return (
    <Stack>
      <PlanNotices current={current} asked={asked} onTakeBack={isOwner ? takeBack : undefined} />
      <Card title={`Your plan: ${current.plan.title}`}>
        {current.plan.credits_per_cycle > 0 ? (
          <p className={styles.figure}>
            <strong>{formatNumber(current.plan.credits_per_cycle)}</strong> credits a month
          </p>
        ) : (
          <p>Credits as agreed</p>
        )}
        {current.cycle && <Timeline cycle={current.cycle} />}
        <Facts
          facts={[
            ['API key', current.plan.api_access ? 'Yes' : 'Not on this plan'],
            ['Requests a second', formatNumber(current.requests_per_second)],
            ['Members', `Up to ${formatNumber(current.plan.members_max)}`],
            ['Payment', paymentWords(current)],
          ]}
        />
      </Card>
      {!isOwner && <OwnersOnly>Owners of the account choose its plan.</OwnersOnly>}
      {isOwner && current.choices.length === 0 && (
        <OwnersOnly>Your plan is by agreement: whoever runs this Mailproof changes it with you.</OwnersOnly>
      )}
      {isOwner && current.choices.length > 0 && (
        <>
          <h2>Choose another plan</h2>
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
  if (payment.state === 'not_needed') return 'None needed';
  return payment.paid_until ? `Paid until ${formatDay(payment.paid_until)}` : 'Awaited';
}

/** The cycle as a line, of which the part that has gone is filled. */
function Timeline({ cycle }: { readonly cycle: NonNullable<AccountPlan['cycle']> }) {
  return (
    <div className={styles.timeline}>
      <ShareLine value={cycleShare(cycle, new Date())} />
      <div className={styles.ends}>
        <span>
          <span className="visually-hidden">The billing cycle began </span>
          {formatDay(cycle.starts_at)}
        </span>
        <span>Unspent credits end {formatDay(cycle.ends_at)}</span>
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
      actions={(isCurrent || isPending) && <Badge tone="good">{isCurrent ? 'Your plan' : 'Asked for'}</Badge>}
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
