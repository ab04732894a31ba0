/** What a directory says of a mailbox, beside what it says of one that somebody made up. */
export type DirectoryFinding =
  /** Something is published for this mailbox and nothing for a made-up one. */
  | 'published'
  | 'not_published'
  /** Something is published for made-up mailboxes too, so that it says nothing. */
  | 'published_for_everybody'
  | 'no_answer';

/** What each source can find, by its name. */
export interface SourceFindings {
  differential_reply: /** By its code the host knows this recipient better than the made-up ones (RFC 5321 section 4.2.3). */
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
}

export type SourceId = keyof SourceFindings;

/** One thing that a source found out about one address. */
export type Observation = {
  readonly [Id in SourceId]: {
    readonly source: Id;
    readonly finding: SourceFindings[Id];
    /** The mail host that said so, where one did. */
    readonly host?: string;
    /** How long ago it was found out; left out for what was asked just now. */
    readonly ageDays?: number;
  };
}[SourceId];

/** An observation together with what it counts for. */
export type WeighedObservation = Observation & {
  /** The logarithm of how much likelier the observation is where the mailbox exists, faded by its age. */
  readonly llr: number;
  /** True where it speaks of this very address and not of the domain. */
  readonly addressSpecific: boolean;
};
