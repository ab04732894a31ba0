import { setTimeout as pause } from 'node:timers/promises';
import type { EmailAddress } from '@mailproof/shared-types';
import { type Clock, type Deadline, isOver } from '../../concurrency/deadline.ts';
import { createSingleFlight } from '../../concurrency/in-flight.ts';
import { lookUp } from '../../outcomes/outcome-store.ts';
import { type PatternClass, patternClassOf } from '../../outcomes/pattern-class.ts';
import { siteTimeoutMs } from './look-at-site.ts';
import { type OwnDomain, printedKey } from './printed-addresses.ts';
import type { PrintedAddress, PrintPlace, SiteLook } from './site-look.ts';
import type { SpareRequests } from './site-visit.ts';

/** What the last look at a domain's site found, about one address. */
export interface SiteKnowledge {
  readonly kind: SiteLook['kind'];
  /** The best place that prints the address; undefined if none does. */
  readonly place?: PrintPlace;
  /** How many addresses the site prints, by the pattern of their local parts. */
  readonly patterns: PatternCounts;
}

export type PatternCounts = { readonly [Pattern in PatternClass]?: number };

/** What is stored of a look: addresses only as keys for comparison, and counts. */
export interface StoredLook {
  readonly kind: SiteLook['kind'];
  readonly printed: readonly PrintedAddress[];
  readonly patterns: PatternCounts;
}

/** Looks at sites, each by its domain, until they expire. */
export interface SiteLookStore {
  find(email: EmailAddress): Promise<SiteKnowledge | undefined>;
  /** Reserves the look at an address's domain, unless a look is stored or another process has reserved it. */
  claim(email: EmailAddress, forMs: number): Promise<boolean>;
  /** Stores a look, which ends the reservation. */
  keep(email: EmailAddress, look: StoredLook, forMs: number): Promise<void>;
  /** Ends a reservation without a look. */
  release(email: EmailAddress): Promise<void>;
}

/** What the sites of domains print; each site is looked at once for all its addresses. */
export interface SiteLooks {
  /**
   * Undefined if the site was not looked at in time.
   *
   * @param spare requests for the look, if it is this caller that begins it
   */
  about(email: EmailAddress, deadline: Deadline, spare?: SpareRequests): Promise<SiteKnowledge | undefined>;
}

/** For an engine that looks at no site. */
export const noSiteLooks: SiteLooks = { about: async () => undefined };

export interface SiteLooksPorts {
  readonly store: SiteLookStore;
  readonly clock: Clock;
  readonly look: (domain: OwnDomain, deadline: Deadline, spare?: SpareRequests) => Promise<SiteLook>;
  /** Runs a look when it is its turn: pages take memory and time. */
  readonly inTurn: <Result>(domain: string, work: () => Promise<Result>) => Promise<Result>;
  /** Local parts that belong to functions, in lower case. */
  readonly roles: ReadonlySet<string>;
}

const dayMs = 86_400_000;
/** Pages change slowly, and a site that gave no answer may be repaired. */
const keptMs: Readonly<Record<SiteLook['kind'], number>> = {
  read: 30 * dayMs,
  prints_anything: 30 * dayMs,
  forbidden: 30 * dayMs,
  no_site: 30 * dayMs,
  failed: dayMs,
};
/** The most time for a look, including the wait for its turn or for another process. */
const lookTimeoutMs = 15_000;
/** Longer than a look, so that a reservation only expires if its process has died. */
const claimMs = 2 * lookTimeoutMs;
/** How often a process checks whether another one has looked. */
const pollMs = 200;

/** Shares looks between the addresses of a domain, in this process and across replicas. */
export function createSiteLooks({ store, clock, look, inTurn, roles }: SiteLooksPorts): SiteLooks {
  const looking = createSingleFlight<void>(clock, lookTimeoutMs);

  async function lookOnce(
    email: EmailAddress,
    domain: OwnDomain,
    deadline: Deadline,
    spare?: SpareRequests,
  ): Promise<void> {
    while (!isOver(deadline)) {
      if (await store.claim(email, claimMs)) {
        await lookAndKeep(email, domain, deadline, spare);
        return;
      }
      if ((await store.find(email)) !== undefined) {
        return;
      }
      await pause(pollMs, undefined, { signal: deadline.signal }).catch(() => undefined);
    }
  }

  async function lookAndKeep(
    email: EmailAddress,
    domain: OwnDomain,
    deadline: Deadline,
    spare?: SpareRequests,
  ): Promise<void> {
    const found = await inTurn(domain.ascii, async () =>
      // Less time than a look may take would make a slow site a failed one.
      deadline.remainingMs() < siteTimeoutMs ? undefined : look(domain, deadline, spare),
    ).catch(async error => {
      await store.release(email);
      throw error;
    });
    // A look that no one waited for was cut short, and says nothing about the site.
    if (found === undefined || deadline.signal.aborted) {
      await store.release(email);
    } else {
      await store.keep(email, storedLook(found, roles), keptMs[found.kind]);
    }
  }

  return {
    async about(email, deadline, spare) {
      const { domain } = email;
      const known = await lookUp(store.find(email), deadline);
      if (known !== undefined || domain.kind === 'literal') {
        return known;
      }
      await looking.join(domain.ascii, deadline, shared => lookOnce(email, domain, shared, spare));
      return isOver(deadline) ? undefined : lookUp(store.find(email), deadline);
    },
  };
}

function domainOf({ domain }: EmailAddress): string {
  return domain.ascii;
}

function storedLook(look: SiteLook, roles: ReadonlySet<string>): StoredLook {
  const printed = look.kind === 'read' ? look.printed : [];
  const patterns = Map.groupBy(printed, ({ email }) => patternClassOf(email, roles));
  return {
    kind: look.kind,
    printed,
    patterns: Object.fromEntries([...patterns].map(([pattern, { length }]) => [pattern, length])),
  };
}

const domainsMax = 1_000;

/** Keeps looks in this process alone, for the command line. */
export function createLocalSiteLookStore(clock: Clock): SiteLookStore {
  const looks = new Map<string, { readonly look: StoredLook | undefined; readonly endsAtMs: number }>();
  const current = (email: EmailAddress) => {
    const entry = looks.get(domainOf(email));
    return entry !== undefined && entry.endsAtMs > clock.nowMs() ? entry : undefined;
  };
  function put(email: EmailAddress, look: StoredLook | undefined, forMs: number): void {
    looks.delete(domainOf(email));
    looks.set(domainOf(email), { look, endsAtMs: clock.nowMs() + forMs });
    const [oldest] = looks.keys();
    if (looks.size > domainsMax && oldest !== undefined) {
      looks.delete(oldest);
    }
  }
  return {
    async find(email) {
      const look = current(email)?.look;
      if (look === undefined) {
        return undefined;
      }
      const place = look.printed.find(printed => printedKey(printed.email) === printedKey(email))?.place;
      return { kind: look.kind, patterns: look.patterns, ...(place !== undefined && { place }) };
    },
    async claim(email, forMs) {
      const isFree = current(email) === undefined;
      if (isFree) {
        put(email, undefined, forMs);
      }
      return isFree;
    },
    keep: async (email, look, forMs) => put(email, look, forMs),
    async release(email) {
      if (current(email)?.look === undefined) {
        looks.delete(domainOf(email));
      }
    },
  };
}
