import type { AccountId } from '@mailproof/shared-types';
import { confirmingAttempt, type PasswordCheck } from '../users/check-password.ts';
import type { Client, SignedIn } from './signed-in.ts';

/** What is asked of whoever wants to delete an account. */
export interface DeletionRequest {
  readonly signedIn: SignedIn;
  readonly client: Client;
  readonly requestId: string;
  readonly password: string;
  /** The account’s name as it was typed. */
  readonly accountName: string;
}

export type DeletionOutcome =
  | { readonly kind: 'deleted'; readonly at: Date }
  | { readonly kind: 'wrongPassword' }
  | { readonly kind: 'locked'; readonly retryInMs: number }
  | { readonly kind: 'nameDiffers' }
  /** Somebody else has just deleted it. */
  | { readonly kind: 'gone' };

/** Where deletions happen, and stay written down. */
export interface DeletionStore {
  /**
   * Deletes the account and everybody in it, writes the deletion down, and lets the other services know, in one step.
   * Nothing has changed when the account has another name or is not there.
   */
  delete(accountId: AccountId, accountName: string, at: Date): Promise<'deleted' | 'nameDiffers' | 'gone'>;
  /** Repeats what the other services were asked, for an account that is gone; it need not have been known. */
  repeat(accountId: AccountId, at: Date): Promise<void>;
  /** Deletions that were written down, in the order of the accounts’ ids, which is that of their making. */
  list(): AsyncIterable<{ readonly accountId: AccountId; readonly deletedAt: Date }>;
  /** Writes down that a service has done its part. */
  markDone(accountId: AccountId, part: DeletionPart, at: Date): Promise<void>;
}

/** What the other services do when an account is deleted. */
export type DeletionPart =
  | 'credits_closed'
  | 'outcomes_forgotten'
  | 'assistants_forgotten'
  | 'profiles_forgotten'
  | 'exports_forgotten';

/** What the other services answer; every method may be called again. */
export interface AccountSharesPort {
  closeCredits(accountId: AccountId): Promise<void>;
  /** Forgets a portion; true when there may be more. */
  forgetOutcomes(accountId: AccountId): Promise<boolean>;
  forgetAssistants(accountId: AccountId): Promise<void>;
  /** Forgets a portion; true when there may be more. */
  forgetProfiles(accountId: AccountId): Promise<boolean>;
  /** Forgets a portion; true when there may be more. */
  forgetExports(accountId: AccountId): Promise<boolean>;
}

/** Deletes an account for good, when an owner proves who they are and what they mean. */
export async function deleteAccount(
  ports: {
    readonly checkPassword: PasswordCheck;
    readonly deletions: Pick<DeletionStore, 'delete'>;
    readonly now: () => Date;
  },
  request: DeletionRequest,
): Promise<DeletionOutcome> {
  const at = ports.now();
  // The password first: whoever has stolen a session learns nothing from the name.
  const verdict = await ports.checkPassword(confirmingAttempt(request, request.password, at));
  if (verdict.kind !== 'accepted') {
    return verdict.kind === 'locked' ? verdict : { kind: 'wrongPassword' };
  }
  return {
    kind: await ports.deletions.delete(request.signedIn.account.accountId, request.accountName, at),
    at,
  };
}
