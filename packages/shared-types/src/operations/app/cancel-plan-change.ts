import { defineOperation } from '../../operation.ts';
import { noBody, noParams, noQuery } from '../public-parts.ts';
import { accountPlan } from './plan-parts.ts';

/** Takes a pending change of plan back. */
export const cancelPlanChange = defineOperation({
  id: 'cancel-plan-change',
  method: 'delete',
  path: '/app/v1/plan/change',
  summary: 'Take a pending change of plan back',
  tag: 'Plan',
  description: 'The account stays on its plan. Without a pending change nothing happens.',
  access: { kind: 'session', role: 'owner' },
  params: noParams,
  query: noQuery,
  body: noBody,
  bodyBytesMax: 0,
  success: { status: 200, description: 'The plan, with no change pending.', schema: accountPlan },
  repeatable: true,
  problems: [],
});
