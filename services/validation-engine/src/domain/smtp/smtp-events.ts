import type { ProviderId } from '../providers/provider.ts';
import type { SmtpFailure, SmtpOutcome } from './connection.ts';
import type { Stage } from './transcript.ts';

/** Events at mail hosts, with the provider that runs the host; undefined if it is self-hosted. */
export interface SmtpEvents {
  /** `refused`: connected, but not let in. */
  sessionTried(provider: ProviderId | undefined, outcome: 'open' | 'refused' | SmtpFailure): void;
  replyHeard(provider: ProviderId | undefined, stage: Stage, outcome: SmtpOutcome): void;
}

/** For a caller that does not need them. */
export const noSmtpEvents: SmtpEvents = { sessionTried: () => undefined, replyHeard: () => undefined };
