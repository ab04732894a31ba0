export type DnsCounts = {
  queries: number;
  overTcp: number;
  /** Answers over UDP that carried only the TC bit. */
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
   * Waits of one network round trip a client spent: the TCP handshake, the banner, each TLS handshake
   * (TLS 1.3 takes one), and each flight of commands that followed something the server said.
   * Commands sent together cost one. A client that writes one flight in several pieces may be
   * counted more than once when the latency is zero.
   */
  roundTrips: number;
  /** RCPT commands that named an address inside a transaction, whatever the reply was. */
  recipientsAsked: number;
  /** What a well-behaved validator never does, one sentence each. */
  violations: string[];
};

export type LabCounts = {
  dns: DnsCounts;
  /** By host name, for the hosts that were contacted. */
  smtp: Record<string, SmtpCounts>;
  /** HTTPS requests by URL without query. */
  web: Record<string, number>;
  /** Everything the lab was asked that the catalogue does not script, one sentence each, in order. */
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
