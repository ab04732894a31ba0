import type { PatternClass } from '../outcomes/pattern-class.ts';
import type { ProviderId, ProviderKind } from '../providers/provider.ts';
import type { PrintPlace } from './site/site-look.ts';

/** What a directory says about a mailbox, compared with what it says about a made-up one. */
export type DirectoryFinding =
  /** Something is published for this mailbox and nothing for a made-up one. */
  | 'published'
  | 'not_published'
  /** Something is published for made-up mailboxes too, so it says nothing. */
  | 'published_for_everybody'
  | 'no_answer';

/** The possible findings of each source, by its name. */
export interface SourceFindings {
  /** The kind of the provider of the preferred mail host, and then the provider. */
  mail_provider: ProviderKind | 'own_host' | ProviderId;
  domain_kind: 'education' | 'government';
  local_part_shape: PatternClass | 'random';
  differential_reply: /** The code shows that the host knows this recipient better than others (RFC 5321 section 4.2.3). */
  'code_differs' | 'status_differs' | 'text_differs' | 'alike' | 'no_answer';
  published_mx: /** A less preferred host accepts this recipient and refuses made-up ones. */
    | 'knows_recipient'
    | 'full'
    | 'rate_limited'
    | 'missing'
    /** Said by a host that may be a backup with an old list of recipients. */
    | 'missing_at_backup'
    | 'disabled'
    | 'accepts_everybody'
    | 'no_answer';
  openpgpkey: DirectoryFinding;
  smimea: DirectoryFinding;
  web_key_directory: DirectoryFinding;
  webfinger: DirectoryFinding;
  published_on_site: /** Where the domain's own site prints the address, the best place. */
    | PrintPlace
    | 'not_printed'
    /** The site prints addresses that do not exist too, so it says nothing. */
    | 'prints_anything'
    /** Its robots.txt or its pages ask programs to stay away. */
    | 'not_allowed'
    | 'no_answer';
  outcome_history: /** What the asking account itself reported last. */
    | 'delivered'
    | 'replied'
    | 'was_full'
    | 'bounced'
    /** What at least two other accounts agree on. */
    | 'agreed_delivered'
    | 'agreed_bounced';
  key_server: DirectoryFinding;
  gravatar: DirectoryFinding;
  unpublished_tenant_host:
    | 'knows_recipient'
    | 'full'
    | 'rate_limited'
    | 'missing'
    | 'disabled'
    | 'accepts_everybody'
    | 'no_answer';
  local_part_pattern: 'match' | 'mismatch' | 'no_pattern';
  known_person: /** A name makes it by a pattern that the domain is known to use. */
    | 'fits_pattern'
    | 'namesakes_fit_pattern'
    /** A name makes it, and no pattern of the domain is known, or none that tells. */
    | 'fits_name'
    | 'namesakes_fit_name'
    /** A name makes it by another pattern than those that the domain is known to use, and nothing explains that. */
    | 'other_pattern'
    /** It fits only people who worked there before. */
    | 'has_left'
    | 'no_one_known'
    | 'not_a_name'
    | 'no_answer';
}

export type SourceId = keyof SourceFindings;

/** A single finding of a source about one address. */
export type Observation = {
  readonly [Id in SourceId]: {
    readonly source: Id;
    readonly finding: SourceFindings[Id];
    /** The mail host that said so, if any. */
    readonly host?: string;
    /** How long ago it was found out; undefined if it was found just now. */
    readonly ageDays?: number;
  };
}[SourceId];

/** An observation and its weight. */
export type WeighedObservation = Observation & {
  /** The logarithm of how much likelier the observation is if the mailbox exists, faded by age. */
  readonly llr: number;
  /** True if it is about this very address and not about the domain. */
  readonly addressSpecific: boolean;
};
