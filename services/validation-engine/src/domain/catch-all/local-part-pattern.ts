import type { AccountId } from '@mailproof/shared-types';
import type { PatternTally } from '../outcomes/outcome-store.ts';
import { lookUp } from '../outcomes/outcome-store.ts';
import { type PatternClass, patternClassOf } from '../outcomes/pattern-class.ts';
import type { EvidenceSource } from './evidence-source.ts';
import type { SourceFindings } from './observation.ts';

type Finding = SourceFindings['local_part_pattern'];

/**
 * Whether the local part has the shape of known-good addresses of the domain. A match makes an address plausible and
 * never proves it. Other accounts' outcomes count under the same rules as those of the address itself.
 */
export const localPartPattern: EvidenceSource = {
  id: 'local_part_pattern',
  privacy: 'nothing',
  cost: { smtpConnections: 0, dnsQuestions: 0, httpsRequests: 0 },
  enabledByDefault: true,
  async gather({ outcomes, roles }, { task, accountId }, deadline) {
    const patternClass = patternClassOf(task.email, roles);
    if (shapeless.has(patternClass)) {
      return { observations: [{ source: 'local_part_pattern', finding: 'no_pattern' }] };
    }
    const tallies = await lookUp(outcomes.ofDomain(task.email), deadline);
    return {
      observations: [
        { source: 'local_part_pattern', finding: comparePattern(tallies, patternClass, accountId) },
      ],
    };
  },
};

/** How many known-good addresses make a pattern. */
const goodMin = 2;
/** The share of addresses of a shape that must be good. */
const goodShareMin = 0.8;
const accountsMin = 2;
/** Shapes that show no pattern: every domain may have an info@, and the others may be anything. */
const shapeless: ReadonlySet<PatternClass> = new Set(['role', 'other', 'initials', 'name_and_number']);

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

function compare(tallies: readonly PatternTally[], patternClass: PatternClass): Finding {
  const good = (of: readonly PatternTally[]) => of.reduce((sum, tally) => sum + tally.good, 0);
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
