import { limits } from './limits.ts';

/** A plan: what an account may do. */
interface Plan {
  readonly apiAccess: boolean;
  readonly requestsPerSecond: number;
}

/** Plans that exist today. Accounts can have a higher rate than their plan by agreement. */
export const plans = {
  demo: { apiAccess: true, requestsPerSecond: limits.requestsPerSecondDefault },
} as const satisfies Readonly<Record<string, Plan>>;

export type PlanName = keyof typeof plans;

export const planNames = Object.keys(plans) as [PlanName, ...PlanName[]];
