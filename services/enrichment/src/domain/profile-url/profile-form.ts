/** Whom a profile is of; nothing where its URL does not tell. */
export type ProfileKind = 'person' | 'organisation';

/** One way in which a network writes the URLs of its profiles. */
export interface ProfileForm {
  /** The form as documentation shows it, with `{handle}` where the profile's own name stands. */
  readonly form: string;
  /** Nothing where people and organisations share one space of names. */
  readonly kind?: ProfileKind;
  /** Segments of the path in front of the handle. */
  readonly before: readonly string[];
  /** What a handle looks like, after decoding, in its canonical case. */
  readonly handle: RegExp;
  /** Handles that the network keeps for its own pages. */
  readonly reserved?: ReadonlySet<string>;
  /** What may follow the handle without naming something else: anything, or these words alone. */
  readonly after?: 'anything' | ReadonlySet<string>;
  /** The parameter of the query that carries the handle, where the path does not. */
  readonly parameter?: string;
  /** How many segments make up a handle at most; one unless told otherwise. */
  readonly segmentsMax?: number;
  /** The handle's canonical spelling; lower case unless told otherwise. */
  readonly canonical?: (handle: string) => string | undefined;
  /** Path and query of the canonical URL, from the encoded handle; `before` and the handle unless told otherwise. */
  readonly path?: (handle: string) => string;
}

/** One network and the forms of its profiles. */
export interface ProfileNetwork {
  readonly name: string;
  /** Its hosts without sub-domain; the first is the canonical one. */
  readonly hosts: readonly string[];
  /** Sub-domains that show the same profiles. */
  readonly subdomains: RegExp;
  /** The host of canonical URLs where it is not the first of `hosts`. */
  readonly canonicalHost?: string;
  readonly forms: readonly ProfileForm[];
}
