import type { VerdictReason } from '@mailproof/shared-types';
import type { Decision } from '../verdict/evidence.ts';
import type { Observation, SourceId } from './observation.ts';
import type { Weighing } from './weigh.ts';

/** The posterior at or above which an address counts as confirmed. */
export const confirmedFrom = 0.95;

/**
 * How long an outcome that the asking account itself reported is enough for a verdict. 20 to 25 % of mailboxes vanish
 * in a year, so after 60 days 96 % are still there; older outcomes are weighed.
 */
const recentDaysMax = 60;

/** Decides the verdict on an address of a catch-all domain. */
export function decideCatchAll({
  observations,
  posterior,
}: Pick<Weighing, 'observations' | 'posterior'>): Decision {
  const saidBy = (...sources: readonly SourceId[]) =>
    new Set<string>(
      observations.filter(({ source }) => sources.includes(source)).map(({ finding }) => finding),
    );
  const said = saidBy('published_mx');
  const saidAnywhere = saidBy('published_mx', 'unpublished_tenant_host');
  const rejection = rejections.find(([finding]) => said.has(finding));
  const acceptance = obstacles.find(([finding]) => saidAnywhere.has(finding));
  const contradictory = rejection !== undefined && (acceptance !== undefined || said.has('knows_recipient'));
  // Hosts that contradict each other decide nothing; both findings count in the sum.
  if (!contradictory) {
    if (rejection !== undefined) {
      return { result: 'invalid', reason: rejection[1] };
    }
    if (acceptance !== undefined) {
      return { result: 'unknown', reason: acceptance[1] };
    }
  }
  if (observations.some(isRecentSuccess)) {
    return { result: 'catch_all_validated', reason: 'evidence_confirms' };
  }
  return isAboutAddress(observations) && posterior >= confirmedFrom
    ? { result: 'catch_all_validated', reason: 'evidence_confirms' }
    : { result: 'catch_all', reason: 'catch_all' };
}

/**
 * True if something speaks for this very address: a finding that proves it, or two sources that only hint at it. A
 * hint is often about a person who has left, regardless of its fitted weight, so it does not confirm together with the
 * pattern of the domain alone, nor with the wording of a reply, which at some hosts differs for any two recipients.
 */
function isAboutAddress(observations: Weighing['observations']): boolean {
  const positives = observations.filter(
    ({ addressSpecific, llr, finding }) => addressSpecific && llr > 0 && finding !== 'text_differs',
  );
  return (
    positives.some(({ source, finding }) => hints[source]?.has(finding) !== true) ||
    new Set(positives.map(({ source }) => source)).size > 1
  );
}

/** Findings that only hint at an address, regardless of their fitted weight. */
export const hints: Partial<Readonly<Record<SourceId, ReadonlySet<string>>>> = {
  published_on_site: new Set(['on_team_page', 'on_page']),
  known_person: new Set(['fits_pattern', 'namesakes_fit_pattern', 'fits_name', 'namesakes_fit_name']),
};

/** True if mail to the address recently arrived or was answered, as reported by the asking account itself. */
function isRecentSuccess({ source, finding, ageDays }: Observation): boolean {
  return (
    source === 'outcome_history' &&
    (finding === 'delivered' || finding === 'replied') &&
    ageDays !== undefined &&
    ageDays <= recentDaysMax
  );
}

/** Refusals of this very recipient by a host that may take mail for the domain. */
const rejections: readonly (readonly [finding: string, reason: VerdictReason])[] = [
  ['missing', 'mailbox_missing'],
  ['disabled', 'mailbox_disabled'],
];

/** The mailbox exists, but mail may not arrive now. */
const obstacles: readonly (readonly [finding: string, reason: VerdictReason])[] = [
  ['full', 'mailbox_full'],
  ['rate_limited', 'mailbox_rate_limited'],
];
