import {
  type AccountId,
  closeAccountCreditsJob,
  forgetAccountAssistantsJob,
  forgetAccountExportsJob,
  forgetAccountOutcomesJob,
  forgetAccountProfilesJob,
} from '@mailproof/shared-types';
import { confirmingAttempt, type PasswordCheck } from '../users/check-password.ts';
import type { Client, SignedIn } from './signed-in.ts';

/** An owner's confirmed request to delete an account. */
export interface DeletionRequest {
  readonly signedIn: SignedIn;
  readonly client: Client;
  readonly requestId: string;
  readonly password: string;
  /** The account’s name as the owner typed it. */
  readonly accountName: string;
}

export type DeletionOutcome =
  | { readonly kind: 'deleted'; readonly at: Date }
  | { readonly kind: 'wrongPassword' }
  | { readonly kind: 'locked'; readonly retryInMs: number }
  | { readonly kind: 'nameDiffers' }
  /** Another request has just deleted it. */
  | { readonly kind: 'gone' };

/** Deletes accounts and keeps a record of it. */
export interface DeletionStore {
  /**
   * Deletes the account and its users, records the deletion, and notifies the other services, in one transaction.
   * Changes nothing if the account has another name or does not exist.
   */
  delete(accountId: AccountId, accountName: string, at: Date): Promise<'deleted' | 'nameDiffers' | 'gone'>;
  /** Repeats the requests to the other services for a deleted account, even one with no record here. */
  repeat(accountId: AccountId, at: Date): Promise<void>;
  /** The recorded deletions, ordered by account id, which is the order in which the accounts were created. */
  list(): AsyncIterable<{ readonly accountId: AccountId; readonly deletedAt: Date }>;
  /** Records that a service has done its part. */
  markDone(accountId: AccountId, part: DeletionPart, at: Date): Promise<void>;
}

/** The parts of a deletion in other services, and the job that requests each. */
export const deletionJobs = {
  credits_closed: closeAccountCreditsJob,
  outcomes_forgotten: forgetAccountOutcomesJob,
  assistants_forgotten: forgetAccountAssistantsJob,
  profiles_forgotten: forgetAccountProfilesJob,
  exports_forgotten: forgetAccountExportsJob,
} as const;

export type DeletionPart = keyof typeof deletionJobs;

/** Has another service do a portion of its part; returns true if there may be more. Safe to repeat. */
export type EndPortion = (accountId: AccountId) => Promise<boolean>;

/** Deletes an account permanently, after its owner proves their identity and confirms the account's name. */
export async function deleteAccount(
  ports: {
    readonly checkPassword: PasswordCheck;
    readonly deletions: Pick<DeletionStore, 'delete'>;
    readonly now: () => Date;
  },
  request: DeletionRequest,
): Promise<DeletionOutcome> {
  const at = ports.now();
  // Checks the password first: a stolen session learns nothing from the name.
  const verdict = await ports.checkPassword(confirmingAttempt(request, request.password, at));
  if (verdict.kind !== 'accepted') {
    return verdict.kind === 'locked' ? verdict : { kind: 'wrongPassword' };
  }
  return {
    kind: await ports.deletions.delete(request.signedIn.account.accountId, request.accountName, at),
    at,
  };
}

/** Has another service do its part of a deletion, portion by portion. */
export async function endAccountPart(
  { deletions, now }: { readonly deletions: Pick<DeletionStore, 'markDone'>; readonly now: () => Date },
  part: DeletionPart,
  endPortion: EndPortion,
  accountId: AccountId,
): Promise<void> {
  while (await endPortion(accountId)) {
    // Each portion ends or deletes something, and nothing can be added, so this terminates.
  }
  await deletions.markDone(accountId, part, now());
}
