import { limits } from './limits.ts';

/** A plan: what an account may do, and what each of its billing cycles brings. */
export interface Plan {
  /** Shown to people. */
  readonly title: string;
  /** Whether the account has an API key that works. */
  readonly apiAccess: boolean;
  /** Credits granted at the start of each billing cycle; what is left of them expires at its end. */
  readonly creditsPerCycle: number;
  /** Requests in any one second over REST and tool server together. */
  readonly requestsPerSecond: number;
  /** People who may belong to the account. */
  readonly membersMax: number;
}

/** Plans that exist. An account can have a higher rate than its plan by agreement. */
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
  /** By agreement: the operator grants its credits. */
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

/** Plans that owners choose by themselves, the smallest first. `custom` is by agreement with the operator. */
export const choosablePlanNames = [
  'free',
  'starter',
  'growth',
  'scale',
] as const satisfies readonly PlanName[];

/** What every billing cycle allows free of charge, by the name under which the ledger counts it. */
export const allowancesPerCycle = {
  /** New people searches that are previewed; paging through one is free. */
  people_preview: 100,
} as const;

export type AllowanceName = keyof typeof allowancesPerCycle;

export const allowanceNames = Object.keys(allowancesPerCycle) as [AllowanceName, ...AllowanceName[]];
