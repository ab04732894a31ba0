import { type AccountId, type EmailAddress, type Verdict, verdictReasons } from '@mailproof/shared-types';
import { getDomain } from 'tldts';
import type { MailHost } from '../dns/find-mail-hosts.ts';
import type { Names } from '../lists/packed-names.ts';
import { findProvider } from '../providers/find-provider.ts';
import { recipientMeanings } from '../reply/meaning.ts';
import type { ProbeResult } from '../smtp/probe-recipient.ts';
import { endsSearch } from '../verdict/decide.ts';
import type { Attempt, Decision } from '../verdict/evidence.ts';
import { afterAnswer, afterBlock, askPermission, type BreakerStore, type Permission } from './breaker.ts';
import type { DoNotProbeList } from './do-not-probe.ts';

/** A verdict reached without asking a host, with an explanation in words. */
export interface Withheld {
  readonly decision: Decision;
  readonly explanation: string;
}

/** Which mail hosts of a domain may be asked now. */
export interface Clearance {
  /** In their order, up to the first one that may not be asked. */
  readonly hosts: readonly MailHost[];
  /** Why that host may not be asked. */
  readonly withheld: Withheld | undefined;
  readonly permissions: ReadonlyMap<string, Permission>;
}

export interface StandingPorts {
  readonly blockWatch: BlockWatch;
  readonly doNotProbe: DoNotProbeList;
}

/**
 * Checks the hosts in their order and stops at the first that may not be asked: asking the others instead would
 * circumvent what its owner wants.
 */
export async function clearHosts(
  { blockWatch, doNotProbe }: StandingPorts,
  email: EmailAddress,
  hosts: readonly MailHost[],
): Promise<Clearance> {
  const permissions = new Map<string, Permission>();
  if (await doNotProbe.covers({ scope: 'domain', name: email.domain.ascii })) {
    return { hosts: [], withheld: onRequest(), permissions };
  }
  for (const [index, { name }] of hosts.entries()) {
    const ending = (withheld: Withheld) => ({ hosts: hosts.slice(0, index), withheld, permissions });
    if (await doNotProbe.covers({ scope: 'mail_host', name })) {
      return ending(onRequest());
    }
    const party = partyOf(name);
    const permission = permissions.get(party.name) ?? (await blockWatch.mayAsk(party));
    permissions.set(party.name, permission);
    if (permission.kind === 'paused') {
      return ending(whilePaused(party, permission));
    }
  }
  return { hosts, withheld: undefined, permissions };
}

/**
 * Records what the hosts said about our address. Waits for this only if it may pause or resume probing; an ordinary
 * answer only clears earlier blocks, and no caller needs to wait for that.
 */
export async function recordReplies(
  { blockWatch }: Pick<StandingPorts, 'blockWatch'>,
  email: EmailAddress,
  { permissions }: Clearance,
  attempts: readonly Attempt[],
): Promise<void> {
  for (const attempt of attempts) {
    if (attempt.kind === 'probed') {
      const party = partyOf(attempt.host);
      const permission = permissions.get(party.name);
      const isTrial = permission?.kind === 'ask' && permission.isTrial;
      const recorded = blockWatch.recordReply(party, attempt.result, email, isTrial);
      if (isTrial || attempt.result.kind !== 'answered' || attempt.result.recipient === 'blocked') {
        await recorded;
      }
    }
  }
}

/** The answer to give instead of a verdict, unless one of the probed hosts gave an answer. */
export function withheldBy({ withheld }: Clearance, attempts: readonly Attempt[]): Withheld | undefined {
  return attempts.some(endsSearch) ? undefined : withheld;
}

function onRequest(): Withheld {
  return {
    decision: { result: 'unknown', reason: 'do_not_probe' },
    explanation: verdictReasons.do_not_probe,
  };
}

function whilePaused(
  { name, isProvider }: Party,
  { sinceMs, untilMs }: Extract<Permission, { kind: 'paused' }>,
): Withheld {
  const whose = isProvider ? `of the provider ${name}` : `at ${name}`;
  const [since, until] = [sinceMs, untilMs].map(timeMs => new Date(timeMs).toISOString());
  return {
    decision: { result: 'unknown', reason: 'blocked' },
    explanation: `The mail servers ${whose} have rejected our IP address since ${since}, so they are not queried again until ${until}.`,
  };
}

/** The operator of a mail host. An operator that blocks us at one of its hosts blocks us at all of them. */
export interface Party {
  /** Stable: the identifier of a provider, or the registrable domain of a self-hosted mail host. */
  readonly name: string;
  readonly isProvider: boolean;
}

/** Called when probing of a party pauses or resumes. */
export interface StandingEvents {
  probingPaused(party: Party, untilMs: number): void;
  probingResumed(party: Party): void;
}

interface BlockWatchPorts {
  readonly breakers: BreakerStore;
  /** Our name for the source address that hosts see; each address has its own standing. */
  readonly sourceAddress: string;
  /** Hides which address was asked about. */
  readonly hashOf: (text: string) => string;
  /** Domains where anyone can get a mailbox. */
  readonly freemailDomains: Names;
  readonly events: StandingEvents;
}

/** Knows which parties refuse our address, across all replicas. */
export interface BlockWatch {
  mayAsk(party: Party): Promise<Permission>;
  /** Records what a host of the party said; `isTrial` comes from the permission. */
  recordReply(party: Party, result: ProbeResult, email: EmailAddress, isTrial: boolean): Promise<void>;
}

/** Identifies the operator of a mail host by the host's name. */
export function partyOf(host: string): Party {
  // Not by the recipient's domain: Gmail and Google Workspace share hosts, and so share their opinion of us.
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

    async recordReply(party, result, email, isTrial) {
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

/** What a probe says about our standing; undefined if it failed, was deferred or met a policy. */
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
 * Before RCPT no customer's policy applies, so every recipient counts. At RCPT a customer of a provider may block us
 * for a whole domain, so the domain counts once; a self-hosted mail host, or a consumer service, speaks for itself.
 */
function subjectOf(
  { isProvider }: Party,
  { atRecipient }: Extract<Told, { kind: 'blocked' }>,
  { domain, normalized }: EmailAddress,
  { freemailDomains }: Pick<BlockWatchPorts, 'freemailDomains'>,
): string {
  return atRecipient && isProvider && !freemailDomains.has(domain.ascii) ? domain.ascii : normalized;
}

/**
 * Counts the different addresses of a domain that an account asked about within the last day, and how many of them do
 * not exist. Both calls reject if the store is unavailable.
 */
export interface HarvestCounter {
  /**
   * Counts one more address and resolves to true. If the counts so far look like guessing, counts nothing and resolves
   * to false.
   */
  ask(accountId: AccountId, email: EmailAddress, guessing: Guessing): Promise<boolean>;
  countMissing(accountId: AccountId, email: EmailAddress): Promise<void>;
}

/** What looks like guessing: at least this many addresses, and more than this share of them missing. */
interface Guessing {
  readonly addressesMax: number;
  /** Between 0 and 1. */
  readonly missingShareMax: number;
}

interface HarvestLimits {
  /** How many different addresses of one domain per day are unsuspicious; 0 switches the guard off. */
  readonly addressesMax: number;
  /** The same for domains where anyone can get a mailbox. */
  readonly freemailAddressesMax: number;
  /** Above that number and above this share of missing addresses, the account seems to be guessing. */
  readonly missingShareMax: number;
}

export interface HarvestGuard {
  /** The answer to give instead of a validation if the account seems to be guessing addresses. */
  ask(accountId: AccountId, email: EmailAddress): Promise<Withheld | undefined>;
  answered(accountId: AccountId, email: EmailAddress, verdict: Verdict): Promise<void>;
}

interface HarvestGuardPorts {
  readonly counter: HarvestCounter;
  readonly limits: HarvestLimits;
  readonly freemailDomains: Names;
}

/**
 * Stops accounts that try to find out who has a mailbox at a domain by asking about every name (a directory harvest
 * attack). Otherwise we would lend them our address, and the domain's hosts would remember it as the attacker's.
 */
export function createHarvestGuard({ counter, limits, freemailDomains }: HarvestGuardPorts): HarvestGuard {
  const addressesMaxOf = ({ domain }: EmailAddress) =>
    freemailDomains.has(domain.ascii) ? limits.freemailAddressesMax : limits.addressesMax;
  return {
    async ask(accountId, email) {
      const addressesMax = addressesMaxOf(email);
      if (addressesMax === 0) {
        return undefined;
      }
      const { missingShareMax } = limits;
      return (await counter.ask(accountId, email, { addressesMax, missingShareMax })) ? undefined : suspected;
    },
    async answered(accountId, email, { reason }) {
      if (reason === 'mailbox_missing' && addressesMaxOf(email) > 0) {
        await counter.countMissing(accountId, email);
      }
    },
  };
}

const suspected: Withheld = {
  decision: { result: 'unknown', reason: 'harvest_suspected' },
  explanation: verdictReasons.harvest_suspected,
};
