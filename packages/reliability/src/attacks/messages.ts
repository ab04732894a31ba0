/** What a hostile client does until it is stopped. */
export type AttackOrder =
  | {
      readonly kind: 'endless-lines';
      /** Where a list is uploaded, and the cookie of a session that may. */
      readonly uploads: readonly {
        readonly url: string;
        readonly mediaType: string;
        readonly opening: string;
      }[];
      readonly cookie: string;
      /** Octets that each upload begins with, without the end of a line. */
      readonly openingBytes: number;
      /** Pause between two single octets that follow, in milliseconds. */
      readonly octetEveryMs: number;
    }
  | {
      readonly kind: 'pipelined-requests';
      readonly url: string;
      readonly connections: number;
      /** Requests without a key that are written to each connection without waiting for an answer. */
      readonly requestsPerConnection: number;
      /** Whether bodies lie between them, each of which arrives together with the heads behind it. */
      readonly hasBodies?: true;
    };

/** What the hostile client saw, so that a run in which it did nothing is not taken for one that was held. */
export interface AttackReport {
  readonly connectionsOpened: number;
  readonly octetsSent: number;
  /** Answers by status, as far as they were read. */
  readonly answers: Readonly<Record<string, number>>;
}
