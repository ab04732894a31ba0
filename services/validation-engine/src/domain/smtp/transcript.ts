import type { SmtpOutcome } from './connection.ts';

/** Where in a session an exchange stands; what a reply can mean depends on it. */
export type Stage = 'greeting' | 'ehlo' | 'helo' | 'starttls' | 'mail' | 'rcpt' | 'rset' | 'quit';

/** One command and what came of it. */
export interface Exchange {
  readonly stage: Stage;
  /** As sent; empty for the greeting, which the host speaks unasked. */
  readonly command: string;
  readonly outcome: SmtpOutcome;
}

/** Everything that was said in one session, in order. */
export type Transcript = readonly Exchange[];
