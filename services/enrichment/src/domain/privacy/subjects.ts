export type PrivacyActor = 'opt_out' | 'operator' | 'retention';

/** A stored field of a person, with its source and since when it has been stored. */
export interface KeptField {
  readonly field: string;
  readonly value: unknown;
  readonly source: KeptSource;
}

export interface KeptSource {
  readonly kind: string;
  readonly name: string;
  readonly licence: string;
  readonly retrievedOn: string;
}

/** Everything stored about a person, for a subject access request. */
export interface Subject {
  readonly personId: string;
  readonly profileUrl: string;
  readonly isSynthetic: boolean;
  readonly firstLoadedAt: Date;
  readonly changedAt: Date;
  /** When it is deleted automatically, counted from the first load. Null for synthetic people. */
  readonly keptUntil: Date | null;
  readonly fields: readonly KeptField[];
  readonly history: readonly (KeptField & { readonly changedAt: Date })[];
  /** The number of accounts that saved the person, and of lists that contain them. */
  readonly accounts: number;
  readonly lists: number;
}

/** What an account has imported about a person. The account is not named. */
export interface ImportedCopy {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly firstImportedAt: Date;
  readonly changedAt: Date;
}

export interface Suppressing {
  readonly profileKey: string;
  readonly reason: SuppressionReason;
  readonly actor: PrivacyActor;
  readonly now: Date;
}

/** Everything about a person, for a subject access request. */
export interface ShownSubject {
  /** Undefined if the store has no such person. */
  readonly stored: Subject | undefined;
  readonly imported: readonly ImportedCopy[];
}

/** Implements people's rights to see the data stored about them, to have it deleted and to opt out. */
export interface Subjects {
  /** Returns what the store has about the person with this profile, and what accounts have imported. Recorded. */
  show(profileKey: string, now: Date): Promise<ShownSubject>;
  /**
   * Suppresses the person with this profile, by the profile and, if known, by name and company domain; deletes all
   * people who match, along with all dependent rows. Returns the number of people deleted. Idempotent.
   */
  suppress(request: Suppressing): Promise<{ deleted: number }>;
  countSuppressions(): Promise<number>;
  /** The number of suppressions per day and actor, latest day first; many opt-outs at once can be an attack. */
  suppressedByDay(): Promise<SuppressedOnDay[]>;
}

export interface SuppressedOnDay {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  readonly actor: PrivacyActor;
  readonly requests: number;
  /** The number of stored people who were deleted. */
  readonly deleted: number;
}

/** Deletes people whose retention period has ended. */
export interface RetentionSweep {
  /** Returns the number of people deleted. */
  sweep(now: Date): Promise<{ deleted: number }>;
}

/** Why a person is suppressed. */
type SuppressionReason = 'opt_out' | 'deletion' | 'operator';

/** The identifiers by which a suppressed person is recognized (ADR 0031). */
export interface Recognition {
  /** The normalized profile URL. */
  readonly profileKey?: string | undefined;
  /** Used only if it is a person's profile on a network. */
  readonly website?: string | null | undefined;
  /** Other profiles of the same person, according to a source. */
  readonly sameAs?: readonly string[] | undefined;
  readonly fullName?: string | null | undefined;
  readonly firstName?: string | null | undefined;
  readonly lastName?: string | null | undefined;
  readonly companyDomain?: string | null | undefined;
  readonly companyName?: string | null | undefined;
}

/** Checks whether a person is suppressed, by a profile or by name and company together. */
export interface SuppressionCheck {
  isSuppressed(person: Recognition): Promise<boolean>;
  /** The same for many people, in their order. */
  areSuppressed(people: readonly Recognition[]): Promise<boolean[]>;
}

/**
 * Any other data stored about a person outside `person` and its dependents, such as remembered answers. It must be
 * deleted in the transaction that suppresses the person.
 */
export interface SubjectTrace<Transaction> {
  forget(transaction: Transaction, subject: { readonly profileKey: string }): Promise<void>;
  /** What it knows of the person behind a profile: name and company, from sources that no account controls. */
  recognize?(
    transaction: Transaction,
    subject: { readonly profileKey: string },
  ): Promise<readonly Recognition[]>;
}

const dayMs = 86_400_000;

/** How many days earlier values of records are kept, counted from the change. */
export const historyDays = 365;

/** How many days removals stay recorded for in-memory copies, which are rebuilt well before that. */
export const removalDays = 30;

/** How many days privacy events are kept. */
export const privacyEventDays = 1_095;

/** Returns the cutoff: people first loaded before it are no longer kept, regardless of later confirmations. */
export function firstLoadedBefore(retentionDays: number, now: Date): Date {
  return daysBefore(retentionDays, now);
}

export function daysBefore(days: number, now: Date): Date {
  return new Date(now.getTime() - days * dayMs);
}

/**
 * Whether data retrieved on this day is past the retention period. Prevents an expired person from returning through
 * the same old file.
 */
export function isTooOld(retrievedOn: string, retentionDays: number, now: Date): boolean {
  return Date.parse(`${retrievedOn}T00:00:00Z`) < daysBefore(retentionDays, now).getTime();
}
