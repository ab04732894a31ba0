/** Recipients in one flight and, where their domain is the same, in one transaction. */
export const flightMax = 10;

/**
 * Recipients in the first flight to a host that is met for the first time: some take five seconds over each refusal
 * (the tarpit interval of Exchange), and answers come with the end of their flight.
 */
export const strangersFlightMax = 3;

/** Who takes longer over a reply, in milliseconds, is remembered for it. */
export const slowReplyMs = 300;

/**
 * Refusals in one session. Postfix slows down at 10 and hangs up after 20, and others have less patience.
 */
export const refusalsMax = 9;

/** Recipients in one session; nobody sends mail to more at a time without being noticed. */
export const recipientsPerSessionMax = 100;

/** How long a session waits for further questions; hosts themselves wait for minutes (RFC 5321 section 4.5.3.2.7). */
export const idleMs = 5_000;

/** Idle sessions over all hosts, whatever the memory. Beyond these, the one that has waited longest ends. */
export const idleSessionsMax = 100;

/** The same while there is memory, for hosts that were asked again within `idleMs` the last time. */
export const returningSessionsMax = 500;

/** A question that waits longer for a busy session gets another one. */
export const patienceMs = 1_000;

/** When a session takes longer to open, another one is tried beside it; some hosts greet that late on purpose. */
export const openingPatienceMs = 5_000;

/** Sessions in a row that come to nothing, after which their end is the answer of everybody who waits. */
export const barrenSessionsMax = 6;

/** The most time for opening a session for which nobody waits at the moment. */
export const openingTimeoutMs = 60_000;

/** After this time a host is met without prejudice again. */
export const lessonsKeptMs = 3_600_000;

/** How long a host is left in peace that says it is asked about too many recipients at a time, in milliseconds. */
export const restMs = 1_000;
