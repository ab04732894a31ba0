import type { SuppressionReason } from './suppression.ts';

export type PrivacyActor = 'opt_out' | 'operator' | 'retention';

/** What is kept of a person in one field, and since when from where. */
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

/** Everything that is kept of a person, for the person who asks. */
export interface Subject {
  readonly personId: string;
  readonly profileUrl: string;
  readonly isSynthetic: boolean;
  readonly firstLoadedAt: Date;
  readonly changedAt: Date;
  /** When it is deleted by itself; the time runs from the first load. Null for who is invented. */
  readonly keptUntil: Date | null;
  readonly fields: readonly KeptField[];
  readonly history: readonly (KeptField & { readonly changedAt: Date })[];
  /** Accounts that have saved the person, and lists that name them. */
  readonly accounts: number;
  readonly lists: number;
}

export interface Suppressing {
  readonly profileKey: string;
  readonly reason: SuppressionReason;
  readonly actor: PrivacyActor;
  readonly now: Date;
}

/** People's right to know what is kept of them, and to be forgotten and left out. */
export interface Subjects {
  /** Nothing where nobody with this profile is kept. That somebody looked is written down. */
  show(profileKey: string, now: Date): Promise<Subject | undefined>;
  /**
   * Keeps out whoever has this profile from now on, by the profile and, where they are known, by name and company domain;
   * deletes everybody whom that names, with all that hangs on them. Answers how many people were deleted. Doing it again
   * changes nothing more.
   */
  suppress(request: Suppressing): Promise<{ deleted: number }>;
  countSuppressions(): Promise<number>;
  /** How many were left out each day, latest first, and by whom: many opt-outs at once can be somebody's attack. */
  suppressedByDay(): Promise<SuppressedOnDay[]>;
}

export interface SuppressedOnDay {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  readonly actor: PrivacyActor;
  readonly requests: number;
  /** People who were kept, and were deleted. */
  readonly deleted: number;
}

/** Deletes what has been kept long enough. */
export interface RetentionSweep {
  /** Answers how many people were deleted. */
  sweep(now: Date): Promise<{ deleted: number }>;
}
