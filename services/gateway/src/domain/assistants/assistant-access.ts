import { type AccountId, type AssistantRefusal, plans, type UserId } from '@mailproof/shared-types';
import type { Account } from '../accounts/account.ts';

/** The facts that decide whether a user's assistants may work for an account. */
export interface AssistantGrounds {
  readonly account: Account;
  /** The user's address. */
  readonly email: string;
  readonly hasActiveKey: boolean;
}

/**
 * Finds the grounds; returns undefined if the user does not belong to the account. Never cached, so a lost plan, key or
 * membership takes effect on the next call.
 */
export type FindAssistantGrounds = (
  accountId: AccountId,
  userId: UserId,
) => Promise<AssistantGrounds | undefined>;

export type AssistantAccess =
  | { readonly kind: 'ready'; readonly account: Account; readonly email: string }
  | { readonly kind: 'refused'; readonly reason: AssistantRefusal };

/** Decides whether a user's assistants may work for the account. */
export function judgeAssistantAccess(grounds: AssistantGrounds | undefined): AssistantAccess {
  if (!grounds) {
    return { kind: 'refused', reason: 'user_gone' };
  }
  const { account, email, hasActiveKey } = grounds;
  if (!plans[account.plan].apiAccess) {
    return { kind: 'refused', reason: 'no_active_plan' };
  }
  return hasActiveKey ? { kind: 'ready', account, email } : { kind: 'refused', reason: 'no_ready_api_key' };
}
