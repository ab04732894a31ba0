import type { EmailAddress } from '@mailproof/shared-types';
import { getDomain } from 'tldts';
import type { Names } from '../lists/packed-names.ts';
import { findProvider } from '../providers/find-provider.ts';
import { recipientMeanings } from '../reply/meaning.ts';
import type { ProbeResult } from '../smtp/probe-recipient.ts';
import { afterAnswer, afterBlock, askPermission, type Permission } from './breaker.ts';
import type { BreakerStore } from './breaker-store.ts';

/** Who runs a mail host: those who block us at one of their hosts block us at all of them. */
export interface Party {
  /** Stable: a provider's identifier, or the registrable domain of a house of its own. */
  readonly name: string;
  readonly isProvider: boolean;
}

/** Told when asking somebody stops or begins again. */
export interface StandingEvents {
  probingPaused(party: Party, untilMs: number): void;
  probingResumed(party: Party): void;
}

export interface BlockWatchPorts {
  readonly breakers: BreakerStore;
  /** The address that hosts see us at, by a name of ours; each has a standing of its own. */
  readonly sourceAddress: string;
  /** Hides who was asked about. */
  readonly hashOf: (text: string) => string;
  /** Domains whose mailboxes belong to anybody. */
  readonly freemailDomains: Names;
  readonly events: StandingEvents;
}

/** Knows who refuses our address, over all replicas. */
export interface BlockWatch {
  mayAsk(party: Party): Promise<Permission>;
  /** Takes in what a host of the party said; `isTrial` as the permission was. */
  heard(party: Party, result: ProbeResult, email: EmailAddress, isTrial: boolean): Promise<void>;
}

/** Tells by its name who runs a mail host. */
export function partyOf(host: string): Party {
  // Not by the recipient's domain: Gmail and Google Workspace share hosts, and with them what they think of us.
  const provider = findProvider(host);
  return provider
    ? { name: provider.id, isProvider: true }
    : { name: getDomain(host, { allowPrivateDomains: false }) ?? host, isProvider: false };
}

export function createBlockWatch(ports: BlockWatchPorts): BlockWatch {
  const { breakers, events } = ports;
  const nameOf = (party: Party) =>
    `${ports.sourceAddress}:${party.isProvider ? 'provider' : 'domain'}:${party.name}`;
  return {
    mayAsk: party => breakers.step(nameOf(party), askPermission),

    async heard(party, result, email, isTrial) {
      const told = tellsOfStanding(result);
      if (told === undefined) {
        return;
      }
      const change = await breakers.step(nameOf(party), (breaker, nowMs) => {
        const next =
          told.kind === 'answered'
            ? afterAnswer(breaker, isTrial)
            : afterBlock(breaker, ports.hashOf(subjectOf(party, told, email, ports)), isTrial, nowMs);
        const untilMs = next.pause?.untilMs;
        return { breaker: next, result: { untilMs, isNew: untilMs !== breaker.pause?.untilMs } };
      });
      if (change.isNew && change.untilMs !== undefined) {
        events.probingPaused(party, change.untilMs);
      } else if (change.isNew) {
        events.probingResumed(party);
      }
    },
  };
}

type Told = { readonly kind: 'answered' } | { readonly kind: 'blocked'; readonly atRecipient: boolean };

const answers: ReadonlySet<string> = new Set(recipientMeanings);

/** What a probe says of our standing; nothing where it failed, was deferred or met a policy. */
function tellsOfStanding(result: ProbeResult): Told | undefined {
  if (result.kind === 'ended') {
    return result.finding === 'blocked'
      ? { kind: 'blocked', atRecipient: result.stage === 'rcpt' }
      : undefined;
  }
  if (result.kind === 'answered') {
    if (result.recipient === 'blocked') {
      return { kind: 'blocked', atRecipient: true };
    }
    return answers.has(result.recipient) ? { kind: 'answered' } : undefined;
  }
  return undefined;
}

/**
 * Ahead of RCPT nobody's own policy can speak, so every recipient counts. At RCPT a customer of a provider may block us
 * for the whole of a domain, so the domain counts once; a house of its own, or a consumer service, speaks for itself.
 */
function subjectOf(
  { isProvider }: Party,
  { atRecipient }: Extract<Told, { kind: 'blocked' }>,
  { domain, normalised }: EmailAddress,
  { freemailDomains }: Pick<BlockWatchPorts, 'freemailDomains'>,
): string {
  return atRecipient && isProvider && !freemailDomains.has(domain.ascii) ? domain.ascii : normalised;
}
