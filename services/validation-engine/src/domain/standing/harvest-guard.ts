import { type AccountId, type EmailAddress, type Verdict, verdictReasons } from '@mailproof/shared-types';
import type { Names } from '../lists/packed-names.ts';
import type { Withheld } from './clearance.ts';

/**
 * Counts the different addresses of a domain that an account asked about within the last day, and those of them that do
 * not exist. Both calls reject where the store is away.
 */
export interface HarvestCounter {
  /** Counts one more and answers true; false, and counts nothing, where the counts so far look like guessing. */
  ask(accountId: AccountId, email: EmailAddress, guessing: Guessing): Promise<boolean>;
  countMissing(accountId: AccountId, email: EmailAddress): Promise<void>;
}

/** What looks like guessing: as many addresses or more, and more than this share of them missing. */
export interface Guessing {
  readonly addressesMax: number;
  /** Between 0 and 1. */
  readonly missingShareMax: number;
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
  readonly freemailDomains: Names;
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
