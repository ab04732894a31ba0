import type { SmtpOutcome } from './connection.ts';

/** The stage of a session that an exchange belongs to; what a reply can mean depends on it. */
export type Stage = 'greeting' | 'ehlo' | 'helo' | 'starttls' | 'mail' | 'rcpt' | 'rset' | 'quit';

/** One command and its outcome. */
export interface Exchange {
  readonly stage: Stage;
  /** As sent; empty for the greeting, which the host sends unasked. */
  readonly command: string;
  readonly outcome: SmtpOutcome;
}

/** Everything that was said in one session, in order. */
export type Transcript = readonly Exchange[];
