export type DnsCounts = {
  queries: number;
  overTcp: number;
  /** UDP responses that contained only the TC bit. */
  truncated: number;
  /** Questions by lower-case name and record type; types without a name are `UNKNOWN_<number>`. */
  byName: Record<string, Record<string, number>>;
};

export type SmtpCounts = {
  connections: number;
  sessionsOpen: number;
  sessionsPeak: number;
  /** By verb, upper case; a verb SMTP does not know is counted as `UNKNOWN`. */
  commands: Record<string, number>;
  /**
   * Network round trips for which a client waited: the TCP handshake, the banner, each TLS handshake (TLS 1.3 takes
   * one), and each flight of commands that follows output from the server. Commands sent together count as one. A
   * client that writes one flight in several pieces may be counted more than once when the latency is zero.
   */
  roundTrips: number;
  /** RCPT commands that named an address inside a transaction, with any reply. */
  recipientsAsked: number;
  /** Violations that a well-behaved validator never commits, one sentence each. */
  violations: string[];
};

export type LabCounts = {
  dns: DnsCounts;
  /** By host name, for the hosts that were contacted. */
  smtp: Record<string, SmtpCounts>;
  /** HTTPS requests by URL without query. */
  web: Record<string, number>;
  /** Every request that the catalog does not script, one sentence each, in order. */
  unscripted: string[];
};

export function noSmtpCounts(sessionsOpen = 0): SmtpCounts {
  return {
    connections: 0,
    sessionsOpen,
    sessionsPeak: sessionsOpen,
    commands: {},
    roundTrips: 0,
    recipientsAsked: 0,
    violations: [],
  };
}

/** What a lab in a separate process sends to its parent over IPC. */
export type LabMessage =
  | {
      readonly type: 'ready';
      /** `host:port`. */
      readonly dnsServer: string;
      readonly smtpPort: number;
      readonly httpsPort: number;
      readonly caCertificatePem: string;
      readonly allowedRanges: readonly string[];
    }
  | { readonly type: 'counts'; readonly counts: LabCounts };

/** What a parent may request. The response to `counts` is a message of the same type. */
export type LabRequest =
  | { readonly type: 'counts' }
  | { readonly type: 'reset_counts' }
  | { readonly type: 'set_round_trip'; readonly roundTripMs: number };
