import type { AccountId } from '@mailproof/shared-types';
import { looksRandom } from '@mailproof/shared-types/local-parts';
import type { PatternTally } from '../outcomes/outcome-store.ts';
import { lookUp } from '../outcomes/outcome-store.ts';
import { type PatternClass, patternClasses, patternClassOf } from '../outcomes/pattern-class.ts';
import type { EvidenceSource } from './evidence-source.ts';
import type { SourceFindings } from './observation.ts';
import type { SiteKnowledge } from './site/site-looks.ts';

type Finding = SourceFindings['local_part_pattern'];

/**
 * Whether the local part has the shape of known-good addresses of the domain: of those that mail reached, and of those
 * that its own site prints. A match makes an address plausible and never proves it. Other accounts' outcomes count
 * under the same rules as those of the address itself.
 */
export const localPartPattern: EvidenceSource = {
  id: 'local_part_pattern',
  privacy: 'nothing',
  cost: { smtpConnections: 0, dnsQuestions: 0, httpsRequests: 0 },
  enabledByDefault: true,
  async gather({ outcomes, sites, roles }, { task, accountId }, deadline) {
    const patternClass = patternClassOf(task.email, roles);
    if (shapeless.has(patternClass) || looksRandom(task.email.localPart.text)) {
      return { observations: [{ source: 'local_part_pattern', finding: 'no_pattern' }] };
    }
    const [tallies, site] = await Promise.all([
      lookUp(outcomes.ofDomain(task.email, accountId), deadline),
      sites.about(task.email, deadline),
    ]);
    const reported = comparePattern(tallies, patternClass, accountId);
    const finding =
      reported === 'no_pattern' ? compare(printedElsewhere(site, patternClass), patternClass) : reported;
    return { observations: [{ source: 'local_part_pattern', finding }] };
  },
};

/** How many known-good addresses make a pattern. */
const goodMin = 2;
/** The share of addresses of a shape that must be good. */
const goodShareMin = 0.8;
const accountsMin = 2;
/** Shapes that show no pattern: every domain may have an info@, and the others may be anything. */
const shapeless: ReadonlySet<PatternClass> = new Set(['role', 'other', 'initials', 'name_and_number']);

/** The other addresses that the site prints; one that it prints itself has its own evidence. */
export function printedElsewhere(site: SiteKnowledge | undefined, patternClass: PatternClass): Tally[] {
  return Object.entries(site?.patterns ?? {}).map(([printed, count]) => ({
    patternClass: printed as PatternClass,
    good: printed === patternClass && site?.place !== undefined ? count - 1 : count,
    bad: 0,
  }));
}

type Tally = Pick<PatternTally, 'patternClass' | 'good' | 'bad'>;

/**
 * The tallies of a domain that count for an account: its own, if they show a pattern, and otherwise those of each
 * pattern that at least two other accounts have seen.
 */
export function talliesFor(
  tallies: readonly PatternTally[],
  accountId: AccountId | undefined,
): readonly PatternTally[] {
  const own = tallies.filter(tally => tally.accountId === accountId);
  if (patternClasses.some(patternClass => compare(own, patternClass) === 'match')) {
    return own;
  }
  return tallies.filter(
    ({ accountId: other, patternClass }) =>
      other !== accountId && comparePattern(tallies, patternClass, accountId) === 'match',
  );
}

function comparePattern(
  tallies: readonly PatternTally[],
  patternClass: PatternClass,
  accountId: AccountId | undefined,
): Finding {
  const own = compare(
    tallies.filter(tally => tally.accountId === accountId),
    patternClass,
  );
  if (own !== 'no_pattern') {
    return own;
  }
  const others = tallies.filter(tally => tally.accountId !== accountId && tally.good > 0);
  // Each of the two accounts must have seen the pattern itself, or one account could set it for all.
  const agreeing = [...Map.groupBy(others, tally => tally.accountId).values()].map(of =>
    compare(of, patternClass),
  );
  const matching = agreeing.filter(finding => finding === 'match').length;
  const mismatching = agreeing.filter(finding => finding === 'mismatch').length;
  if (Math.max(matching, mismatching) < accountsMin || matching === mismatching) {
    return 'no_pattern';
  }
  return matching > mismatching ? 'match' : 'mismatch';
}

function compare(tallies: readonly Tally[], patternClass: PatternClass): Finding {
  const good = (of: readonly Tally[]) => of.reduce((sum, tally) => sum + tally.good, 0);
  const shaped = tallies.filter(tally => !shapeless.has(tally.patternClass));
  const alike = shaped.filter(tally => tally.patternClass === patternClass);
  const bad = alike.reduce((sum, tally) => sum + tally.bad, 0);
  const goodAlike = good(alike);
  if (goodAlike >= goodMin) {
    return goodAlike / (goodAlike + bad) >= goodShareMin ? 'match' : 'no_pattern';
  }
  const goodElse = good(shaped) - goodAlike;
  return goodAlike === 0 && goodElse >= goodMin ? 'mismatch' : 'no_pattern';
}
