/** A kind of request that is sent over and over, at random moments. */
export interface LoadKind {
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A JSON body to post; `GET` without one. */
  readonly body?: unknown;
  /** On average; the moments are those of a Poisson process. */
  readonly perSecond: number;
  /** What stands in each answer of 200 that is right. */
  readonly shows: string;
}

/** What the generator is told. */
export type LoadOrder =
  | { readonly type: 'load'; readonly kinds: readonly LoadKind[]; readonly seconds: number }
  /** From now on, in place of the headers of the same names. */
  | { readonly type: 'headers'; readonly kind: string; readonly headers: Readonly<Record<string, string>> };

/** What became of one kind of request. Times are counted from the moment at which a request was due. */
export interface LoadResult {
  readonly name: string;
  /** That were due; each was sent, unless `errors` counts it as not sent. */
  readonly due: number;
  readonly answered: number;
  /** By HTTP status, or by what was wrong otherwise. */
  readonly errors: Readonly<Record<string, number>>;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  /** Of those alone that were due while the machine had its processors to itself; absent where nobody counts that. */
  readonly calm?: { readonly answered: number; readonly p99Ms: number };
}
