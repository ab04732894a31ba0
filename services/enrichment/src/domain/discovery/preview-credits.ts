import type { AccountId, AllowanceUseId, HoldId } from '@mailproof/shared-types';

/** How a preview was paid for. */
export type PreviewPayment =
  | { readonly kind: 'allowance'; readonly useId: AllowanceUseId }
  | { readonly kind: 'credits'; readonly holdId: HoldId }
  | { readonly kind: 'none' };

/** The operation that makes a preview, as the ledger's cause. */
export type PreviewCause = 'begin-people-search' | 'change-people-search';

/** What the ledger does for previews. */
export interface PreviewCredits {
  /** Free previews that are left of the cycle; none while there is no cycle. */
  allowance(
    accountId: AccountId,
  ): Promise<{ readonly left: number; readonly cycleStartsAt: string | undefined }>;
  /** Idempotent by `useId`. */
  takeAllowance(
    accountId: AccountId,
    useId: AllowanceUseId,
    cause: PreviewCause,
  ): Promise<{ readonly taken: boolean; readonly left: number }>;
  /** A hold for a short time. `purpose` tells previews apart; the same one again finds the same hold while it stands. */
  hold(
    accountId: AccountId,
    purpose: string,
    amount: number,
    cause: PreviewCause,
  ): Promise<
    | { readonly kind: 'held'; readonly holdId: HoldId }
    | { readonly kind: 'refused'; readonly available: number }
  >;
  /** Undoes a payment for what was not shown. */
  giveBack(payment: PreviewPayment): Promise<void>;
}
