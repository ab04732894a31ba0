/** Recipients in one flight and, if they share a domain, in one transaction. */
export const flightMax = 10;

/** Accepted recipients that are asked about again in one flight, in addition. */
export const repeatsMax = 20;

/**
 * Recipients in the first flight to a host that is contacted for the first time: some hosts take five seconds over each
 * refusal (the tarpit interval of Exchange), and answers arrive only at the end of their flight.
 */
export const strangersFlightMax = 3;

/** A host that takes longer than this over a reply, in milliseconds, is remembered as slow. */
export const slowReplyMs = 300;

/**
 * Refusals in one session. Postfix slows down at 10 and hangs up after 20, and others have less patience.
 */
export const refusalsMax = 9;

/** Recipients in one session; a client that sends mail to more at a time is conspicuous. */
export const recipientsPerSessionMax = 100;

/**
 * How long a session waits for further questions: this many times as long as it took to open, within bounds. Hosts
 * themselves wait for minutes (RFC 5321 section 4.5.3.2.7).
 */
export const idleOpenings = 12;
export const idleMsMin = 5_000;
export const idleMsMax = 15_000;

/** Idle sessions at all hosts that stay open regardless of memory. */
export const idleSessionsMax = 100;

/** The same while there is memory, for hosts that were asked again within the idle time of their last session. */
export const returningSessionsMax = 500;

/**
 * How long a question waits for a busy session before another is opened; as long as opening takes, if that is longer.
 */
export const patienceMs = 1_000;

/** If a session takes longer to open, another one is tried in parallel; some hosts greet that late on purpose. */
export const openingPatienceMs = 5_000;

/** After this many sessions in a row without an answer, the way they end is the answer to all waiting questions. */
export const barrenSessionsMax = 6;

/** The most time for opening a session for which no caller waits. */
export const openingTimeoutMs = 60_000;

/** After this time, what was learned about a host is forgotten. */
export const lessonsKeptMs = 3_600_000;

/** How long a host that reports too many recipients at a time is not probed, in milliseconds. */
export const restMs = 1_000;
