import type { AccountId, EmailAddress, KnownPeopleMatch } from '@mailproof/shared-types';
import { type NamePattern, readCandidate } from '@mailproof/shared-types/local-parts';
import { type Clock, deadlineAfter, within } from '../concurrency/deadline.ts';
import { confirmedPatterns } from '../local-parts/domain-patterns.ts';
import { lookUp } from '../outcomes/outcome-store.ts';
import { patternClassOf } from '../outcomes/pattern-class.ts';
import { hints } from './decide-catch-all.ts';
import type { EvidencePorts, EvidenceSource, Gathered } from './evidence-source.ts';
import { printedElsewhere, talliesFor } from './local-part-pattern.ts';
import type { Observation } from './observation.ts';
import type { PrintPlace } from './site/site-look.ts';

/**
 * Whether a person who is known to work at the company has a name that makes the local part. It counts fully only by a
 * pattern that the domain is known to use: lists are often made by guessing addresses from names (ADR 0072).
 */
export const knownPerson: EvidenceSource = {
  id: 'known_person',
  privacy: 'nothing',
  cost: { smtpConnections: 0, dnsQuestions: 0, httpsRequests: 0 },
  enabledByDefault: true,
  async gather({ knownPeople, outcomes, sites, roles }, { task, domain, accountId }, deadline) {
    const { email } = task;
    const patternClass = patternClassOf(email, roles);
    if (!mayBeName(email, roles)) {
      return { observations: [{ source: 'known_person', finding: 'not_a_name' }] };
    }
    try {
      const [match, tallies, site] = await Promise.all([
        lookUp(knownPeople.match(domain.ascii, email.localPart.text, deadline, accountId), deadline),
        lookUp(outcomes.ofDomain(email, accountId), deadline),
        sites.about(email, deadline),
      ]);
      const counts = [...talliesFor(tallies, accountId), ...printedElsewhere(site, patternClass)].map(
        ({ patternClass: pattern, good, bad }) => ({ pattern, good, bad }),
      );
      return match === undefined
        ? nothing
        : {
            observations: [judge(match, confirmedPatterns(counts), isKeptRight(site?.place))],
            restsOnOwnPeople: match.restsOnOwnPeople,
          };
    } catch {
      return { observations: [{ source: 'known_person', finding: 'no_answer' }] };
    }
  },
};

/** Time limit, in milliseconds, if a remembered verdict waits for the answer. */
const checkMsMax = 1_000;

/**
 * Tells whether the people whom an account has imported change how an address fits known people; undefined without an
 * answer in time. Asks no one about an address that no name makes.
 */
export function createOwnPeopleCheck({
  knownPeople,
  roles,
  clock,
}: Pick<EvidencePorts, 'knownPeople' | 'roles'> & { readonly clock: Clock }) {
  return async (
    accountId: AccountId,
    email: EmailAddress,
    deadlineMs: number,
    signal: AbortSignal,
  ): Promise<boolean | undefined> => {
    if (email.domain.kind === 'literal' || !mayBeName(email, roles)) {
      return false;
    }
    const deadline = deadlineAfter(clock, deadlineMs, signal);
    // Asked with all of the time, so that a service that does not answer is not asked again for a while.
    const matching = knownPeople.match(email.domain.ascii, email.localPart.text, deadline, accountId);
    return lookUp(matching, within(clock, deadline, checkMsMax)).then(
      match => match?.restsOnOwnPeople === true,
      () => undefined,
    );
  };
}

function mayBeName(email: EmailAddress, roles: ReadonlySet<string>): boolean {
  return readCandidate(email.localPart.text) !== undefined && patternClassOf(email, roles) !== 'role';
}

const nothing: Gathered = { observations: [] };

/** Whether a page that the company has reasons to keep right prints the address. */
function isKeptRight(place: PrintPlace | undefined): boolean {
  return place !== undefined && hints.published_on_site?.has(place) !== true;
}

/** What a pattern makes of a name that a source writes in the other order, as most lists do with some names. */
const mirrored: Partial<Readonly<Record<NamePattern, NamePattern>>> = {
  'first.last': 'last.first',
  first_last: 'last_first',
  'first-last': 'last-first',
  firstlast: 'lastfirst',
  'last.first': 'first.last',
  last_first: 'first_last',
  'last-first': 'first-last',
  lastfirst: 'firstlast',
};

function judge(
  { current, hasLeft }: KnownPeopleMatch,
  confirmed: ReadonlySet<NamePattern>,
  isPrinted: boolean,
): Observation {
  const source = 'known_person';
  if (current.length === 0) {
    return { source, finding: hasLeft ? 'has_left' : 'no_one_known' };
  }
  const usual = current.filter(({ pattern }) => confirmed.has(pattern));
  const fitting = usual.length > 0 ? usual : current;
  // By two patterns it may fit two people.
  const isUnique = fitting.length === 1 && fitting.every(({ people }) => people === 'one');
  const ageDays = Math.min(...fitting.map(each => each.ageDays));
  if (usual.length > 0) {
    return { source, finding: isUnique ? 'fits_pattern' : 'namesakes_fit_pattern', ageDays };
  }
  const isMirrored = current.some(({ pattern }) => confirmed.has(mirrored[pattern] ?? pattern));
  // Another pattern says nothing against an address that the company itself prints.
  if (confirmed.size > 0 && !isMirrored && !isPrinted) {
    return { source, finding: 'other_pattern', ageDays };
  }
  return { source, finding: isUnique ? 'fits_name' : 'namesakes_fit_name', ageDays };
}
