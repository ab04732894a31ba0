import { type AccountId, type EmailAddress, type Verdict, verdictReasons } from '@mailproof/shared-types';
import type { Withheld } from './clearance.ts';

/**
 * Counts the different addresses of a domain that an account asked about within the last day. Both calls reject where
 * the store is away.
 */
export interface HarvestCounter {
  /** Counts one more, unless `refuses` says that the counts so far are too high; answers the counts without it. */
  ask(
    accountId: AccountId,
    email: EmailAddress,
    refuses: (counts: HarvestCounts) => boolean,
  ): Promise<HarvestCounts>;
  countMissing(accountId: AccountId, email: EmailAddress): Promise<void>;
}

export interface HarvestCounts {
  readonly asked: number;
  /** Those among them that do not exist. */
  readonly missing: number;
}

export interface HarvestLimits {
  /** Different addresses of one domain a day that nobody wonders about; 0 switches the guard off. */
  readonly addressesMax: number;
  /** The same where the mailboxes of the domain belong to anybody. */
  readonly freemailAddressesMax: number;
  /** Above it and above this share of missing ones, somebody seems to be guessing. */
  readonly missingShareMax: number;
}

export interface HarvestGuard {
  /** Something to answer in place of a validation, where the account seems to be guessing addresses. */
  ask(accountId: AccountId, email: EmailAddress): Promise<Withheld | undefined>;
  answered(accountId: AccountId, email: EmailAddress, verdict: Verdict): Promise<void>;
}

export interface HarvestGuardPorts {
  readonly counter: HarvestCounter;
  readonly limits: HarvestLimits;
  readonly freemailDomains: ReadonlySet<string>;
}

/**
 * Stops accounts that find out who has a mailbox at a domain by asking about every name (a directory harvest attack):
 * we would lend them our address, and the domain's hosts would remember it as the attacker's.
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
      const refuses = (counts: HarvestCounts) => isHarvest(counts, addressesMax, limits.missingShareMax);
      return refuses(await counter.ask(accountId, email, refuses)) ? suspected : undefined;
    },
    async answered(accountId, email, { reason }) {
      if (reason === 'mailbox_missing' && addressesMaxOf(email) > 0) {
        await counter.countMissing(accountId, email);
      }
    },
  };
}

/** True where an account asked about so many addresses, and so many of them are missing, that it seems to guess. */
export function isHarvest(
  { asked, missing }: HarvestCounts,
  addressesMax: number,
  missingShareMax: number,
): boolean {
  return asked >= addressesMax && missing > asked * missingShareMax;
}

const suspected: Withheld = {
  decision: { result: 'unknown', reason: 'harvest_suspected' },
  explanation: verdictReasons.harvest_suspected,
};
