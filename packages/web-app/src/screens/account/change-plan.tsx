import { choosablePlanNames } from '@mailproof/shared-types';
import { ArrowRight } from 'lucide-react';
import { $api, api, queryClient } from '../../api/client.ts';
import { Confirm } from '../../design/dialog.tsx';
import { announce } from '../../design/toasts.tsx';
import styles from './account.module.css';
import { type AccountPlan, changeSentences, type Plan } from './plan-facts.ts';

/** What the API said to a change: how to pay where that is what it waits for. */
export type PlanChange = NonNullable<Awaited<ReturnType<typeof ask>>>;

interface ChangePlanProps {
  readonly current: AccountPlan;
  readonly to: Plan;
  readonly onAsked: (change: PlanChange) => void;
  readonly onClose: () => void;
}

/** Says what a change of plan does, and when, before it is asked for. */
export function ChangePlan({ current, to, onAsked, onClose }: ChangePlanProps) {
  async function confirm() {
    const change = await ask(to);
    if (!change) return;
    queryClient.setQueryData($api.queryOptions('get', '/plan').queryKey, change.account_plan);
    onAsked(change);
    announce(`${to.title} is asked for.`);
  }
  return (
    <Confirm
      title={`Change to ${to.title}?`}
      lead="This happens:"
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

async function ask({ name }: Plan) {
  const plan = choosablePlanNames.find(each => each === name);
  if (!plan) throw new Error('This plan is by agreement.');
  return (await api.POST('/plan/change', { body: { plan } })).data;
}
