/** Why somebody is kept out. */
export type SuppressionReason = 'opt_out' | 'deletion' | 'operator';

/** What a person can be recognised by when they come again (ADR 0031). */
export interface Recognition {
  /** The normalised profile URL. */
  readonly profileKey?: string | undefined;
  /** Counts where it is a person's profile on a network. */
  readonly website?: string | null | undefined;
  /** What a source says to be other profiles of the same person. */
  readonly sameAs?: readonly string[] | undefined;
  readonly fullName?: string | null | undefined;
  readonly firstName?: string | null | undefined;
  readonly lastName?: string | null | undefined;
  readonly companyDomain?: string | null | undefined;
  readonly companyName?: string | null | undefined;
}

/** Asks whether somebody asked to be left out; by a profile, or by name and company together. */
export interface SuppressionCheck {
  isSuppressed(person: Recognition): Promise<boolean>;
  /** The same for many at once, in their order. */
  areSuppressed(people: readonly Recognition[]): Promise<boolean[]>;
}

/**
 * Whatever else is kept of a person outside `person` and what hangs on it, such as remembered answers. It is asked to
 * forget within the transaction in which the person is suppressed.
 */
export interface SubjectTrace<Transaction> {
  forget(transaction: Transaction, subject: { readonly profileKey: string }): Promise<void>;
}
