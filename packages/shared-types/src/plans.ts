import { limits } from './limits.ts';

/** A plan: what an account can do, and what each billing cycle includes. */
export interface Plan {
  /** The name shown to users. */
  readonly title: string;
  /** Whether the account has a working API key. */
  readonly apiAccess: boolean;
  /** Credits granted at the start of each billing cycle; unspent ones expire at its end. */
  readonly creditsPerCycle: number;
  /** Maximum requests per second to the REST API and the tool server combined. */
  readonly requestsPerSecond: number;
  /** The maximum number of members of the account. */
  readonly membersMax: number;
}

/** All plans. By agreement, an account can have a higher rate than its plan. */
export const plans = {
  free: {
    title: 'Free',
    apiAccess: false,
    creditsPerCycle: 100,
    requestsPerSecond: limits.requestsPerSecondDefault,
    membersMax: 1,
  },
  starter: {
    title: 'Starter',
    apiAccess: true,
    creditsPerCycle: 5_000,
    requestsPerSecond: limits.requestsPerSecondDefault,
    membersMax: 3,
  },
  growth: {
    title: 'Growth',
    apiAccess: true,
    creditsPerCycle: 25_000,
    requestsPerSecond: 20,
    membersMax: 10,
  },
  scale: {
    title: 'Scale',
    apiAccess: true,
    creditsPerCycle: 100_000,
    requestsPerSecond: 50,
    membersMax: 50,
  },
  /** Available by agreement: the operator grants its credits. */
  custom: {
    title: 'Custom',
    apiAccess: true,
    creditsPerCycle: 0,
    requestsPerSecond: limits.requestsPerSecondDefault,
    membersMax: 1_000,
  },
} as const satisfies Readonly<Record<string, Plan>>;

export type PlanName = keyof typeof plans;

export const planNames = Object.keys(plans) as [PlanName, ...PlanName[]];

/** Plans that owners can choose, the smallest first. `custom` is by agreement with the operator. */
export const choosablePlanNames = [
  'free',
  'starter',
  'growth',
  'scale',
] as const satisfies readonly PlanName[];

/** The free allowances of each billing cycle, by the names that the ledger uses. */
export const allowancesPerCycle = {
  /** Previews of new people searches; paging through a preview is free. */
  people_preview: 100,
} as const;

export type AllowanceName = keyof typeof allowancesPerCycle;

export const allowanceNames = Object.keys(allowancesPerCycle) as [AllowanceName, ...AllowanceName[]];
