import type { ProviderId } from '../providers/provider.ts';
import type { SmtpFailure, SmtpOutcome } from './connection.ts';
import type { Stage } from './transcript.ts';

/** What happens at mail hosts, told by the provider that runs them; undefined for a house of its own. */
export interface SmtpEvents {
  /** `refused`: connected, and not let in. */
  sessionTried(provider: ProviderId | undefined, outcome: 'open' | 'refused' | SmtpFailure): void;
  replyHeard(provider: ProviderId | undefined, stage: Stage, outcome: SmtpOutcome): void;
}

/** For whoever has no use for them. */
export const noSmtpEvents: SmtpEvents = { sessionTried: () => undefined, replyHeard: () => undefined };
