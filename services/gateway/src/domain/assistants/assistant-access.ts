import {
  type AccountId,
  type AssistantRefusal,
  type PlanName,
  plans,
  type UserId,
} from '@mailproof/shared-types';

/** What an account has for the assistants of one of its users. */
export interface AssistantGrounds {
  readonly accountName: string;
  readonly plan: PlanName;
  /** The user's. */
  readonly email: string;
  /** The sealed copy of the account's active key, if there is one. */
  readonly sealedKey: string | undefined;
}

/**
 * Finds the grounds, or nothing when the user does not belong to the account; never from a cache, so that whoever lost
 * plan, key or membership is refused at the next call.
 */
export type FindAssistantGrounds = (
  accountId: AccountId,
  userId: UserId,
) => Promise<AssistantGrounds | undefined>;

export type AssistantAccess =
  | {
      readonly kind: 'ready';
      readonly accountName: string;
      readonly email: string;
      readonly sealedKey: string;
    }
  | { readonly kind: 'refused'; readonly reason: AssistantRefusal };

/** Judges whether a user's assistants may work for the account. */
export function judgeAssistantAccess(grounds: AssistantGrounds | undefined): AssistantAccess {
  if (!grounds) {
    return { kind: 'refused', reason: 'user_gone' };
  }
  const { accountName, plan, email, sealedKey } = grounds;
  if (!plans[plan].apiAccess) {
    return { kind: 'refused', reason: 'no_active_plan' };
  }
  return sealedKey === undefined
    ? { kind: 'refused', reason: 'no_ready_api_key' }
    : { kind: 'ready', accountName, email, sealedKey };
}
