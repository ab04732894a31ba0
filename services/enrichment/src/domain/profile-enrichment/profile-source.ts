import type { AccountId, EnrichedProfile, ProfileProvenance } from '@mailproof/shared-types';
import type { ProfileUrl } from '../profile-url/parse-profile-url.ts';

/** What is asked of a source. */
export interface ProfileQuestion {
  readonly accountId: AccountId;
  readonly profile: ProfileUrl;
  /** An answer that was given before this moment is too old; nothing where any that is remembered will do. */
  readonly notBefore?: Date | undefined;
  /** Aborted when the time for the answer is over. */
  readonly signal: AbortSignal;
}

/** What a source said, and when. */
export type SourceAnswer =
  | {
      readonly outcome: 'found';
      readonly profile: EnrichedProfile;
      /** Addresses of what the source says to be other profiles of the same person; they are looked at, never shown. */
      readonly sameAs?: readonly string[] | undefined;
      readonly provenance: ProfileProvenance;
      readonly saidAt: Date;
    }
  | { readonly outcome: 'notFound'; readonly saidAt: Date };

/** Someone to ask about profiles. */
export interface ProfileSource {
  readonly name: 'store' | 'provider' | 'page';
  /** Answers nothing where this source is not to be asked about the profile. Throws `SourceFailure` when it cannot say. */
  find(question: ProfileQuestion): Promise<SourceAnswer | undefined>;
}

/** A source that could not say whether it knows a profile. Its message is for customers. */
export class SourceFailure extends Error {
  override readonly name = 'SourceFailure';
  readonly reason: string;

  constructor(reason: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
