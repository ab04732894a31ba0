import type { KnownPeopleMatch } from '@mailproof/shared-types';
import { type NamePattern, readCandidate } from '@mailproof/shared-types/local-parts';
import { confirmedPatterns } from '../local-parts/domain-patterns.ts';
import { lookUp } from '../outcomes/outcome-store.ts';
import { patternClassOf } from '../outcomes/pattern-class.ts';
import type { EvidenceSource, Gathered } from './evidence-source.ts';
import { printedElsewhere, talliesFor } from './local-part-pattern.ts';
import type { Observation } from './observation.ts';

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
    if (readCandidate(email.localPart.text) === undefined || patternClass === 'role') {
      return { observations: [{ source: 'known_person', finding: 'not_a_name' }] };
    }
    try {
      const [match, tallies, site] = await Promise.all([
        lookUp(knownPeople.match(domain.ascii, email.localPart.text, deadline), deadline),
        lookUp(outcomes.ofDomain(email, accountId), deadline),
        sites.about(email, deadline),
      ]);
      const counts = [...talliesFor(tallies, accountId), ...printedElsewhere(site, patternClass)].map(
        ({ patternClass: pattern, good, bad }) => ({ pattern, good, bad }),
      );
      return match === undefined ? nothing : { observations: [judge(match, confirmedPatterns(counts))] };
    } catch {
      return { observations: [{ source: 'known_person', finding: 'no_answer' }] };
    }
  },
};

const nothing: Gathered = { observations: [] };

function judge({ current, hasLeft }: KnownPeopleMatch, confirmed: ReadonlySet<NamePattern>): Observation {
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
  if (confirmed.size > 0) {
    return { source, finding: 'other_pattern', ageDays };
  }
  return { source, finding: isUnique ? 'fits_name' : 'namesakes_fit_name', ageDays };
}
