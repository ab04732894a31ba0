import { z } from 'zod';
import { patternClasses } from '../outcomes/pattern-class.ts';
import type { SourceFindings, SourceId } from './observation.ts';
import { printPlaces } from './site/site-look.ts';
import builtIn from './weights.json' with { type: 'json' };

/** Sources that are likely to be right or wrong together. */
const groupIds = [
  'kind',
  'mail_host',
  'published_key',
  'account',
  'site',
  'outcome',
  'pattern',
  'person',
] as const;

export type GroupId = (typeof groupIds)[number];

export interface SourceWeights<Finding extends string> {
  readonly group: GroupId;
  readonly addressSpecific: boolean;
  /** The age at which an observation counts for half. */
  readonly halfLifeDays: number;
  /** The same for findings that stay valid for a longer or shorter time than the others of their source. */
  readonly halfLifeDaysOf?: { readonly [Of in Finding]?: number | undefined } | undefined;
  /** Log-likelihood ratios: natural logarithms, 0 for a finding that says nothing. */
  readonly llr: Readonly<Record<Finding, number>>;
}

export interface Weights {
  /** Changes with every change of the values, and is part of each verdict that rests on them. */
  readonly version: string;
  /** The share of addresses at catch-all domains that exist, before any evidence. */
  readonly prior: number;
  /** The most that the observations of one group together count for, in either direction. */
  readonly groupCaps: Readonly<Record<GroupId, number>>;
  readonly sources: { readonly [Id in SourceId]: SourceWeights<SourceFindings[Id]> };
}

/** No single observation may outweigh everything else forever. */
export const llrMax = 6;

const llr = z.number().min(-llrMax).max(llrMax);

function halfLives<Finding extends string>(findings: readonly Finding[]) {
  const days = z.number().positive().optional();
  const shape = Object.fromEntries(findings.map(finding => [finding, days])) as Record<Finding, typeof days>;
  return z.strictObject(shape).optional();
}

function sourceWeights<Finding extends string>(...findings: readonly Finding[]) {
  return z.strictObject({
    group: z.enum(groupIds),
    addressSpecific: z.boolean(),
    halfLifeDays: z.number().positive(),
    halfLifeDaysOf: halfLives(findings),
    llr: z.strictObject(
      Object.fromEntries(findings.map(finding => [finding, llr])) as Record<Finding, typeof llr>,
    ),
  });
}

/** Findings that are the identifiers of a table; those without a weight count for nothing. */
function openSourceWeights() {
  return z.strictObject({
    group: z.enum(groupIds),
    addressSpecific: z.boolean(),
    halfLifeDays: z.number().positive(),
    halfLifeDaysOf: z.record(z.string(), z.number().positive()).optional(),
    llr: z.record(z.string().regex(/^\w{1,100}$/), llr),
  });
}

const directoryFindings = ['published', 'not_published', 'published_for_everybody', 'no_answer'] as const;

/** What a weights file must contain: every source with every finding, and nothing else; providers may be left out. */
const weightsFile: z.ZodType<Weights> = z.strictObject({
  version: z.string().min(1).max(100),
  prior: z.number().gt(0).lt(1),
  groupCaps: z.strictObject(
    Object.fromEntries(groupIds.map(group => [group, z.number().nonnegative()])) as Record<
      GroupId,
      z.ZodNumber
    >,
  ),
  sources: z.strictObject({
    mail_provider: openSourceWeights(),
    domain_kind: sourceWeights('education', 'government'),
    local_part_shape: sourceWeights(...patternClasses, 'random'),
    differential_reply: sourceWeights('code_differs', 'status_differs', 'text_differs', 'alike', 'no_answer'),
    published_mx: sourceWeights(
      'knows_recipient',
      'full',
      'rate_limited',
      'missing',
      'missing_at_backup',
      'disabled',
      'accepts_everybody',
      'no_answer',
    ),
    openpgpkey: sourceWeights(...directoryFindings),
    smimea: sourceWeights(...directoryFindings),
    web_key_directory: sourceWeights(...directoryFindings),
    webfinger: sourceWeights(...directoryFindings),
    published_on_site: sourceWeights(
      ...printPlaces,
      'not_printed',
      'prints_anything',
      'not_allowed',
      'no_answer',
    ),
    outcome_history: sourceWeights(
      'delivered',
      'replied',
      'was_full',
      'bounced',
      'agreed_delivered',
      'agreed_bounced',
    ),
    key_server: sourceWeights(...directoryFindings),
    gravatar: sourceWeights(...directoryFindings),
    unpublished_tenant_host: sourceWeights(
      'knows_recipient',
      'full',
      'rate_limited',
      'missing',
      'disabled',
      'accepts_everybody',
      'no_answer',
    ),
    local_part_pattern: sourceWeights('match', 'mismatch', 'no_pattern'),
    known_person: sourceWeights(
      'fits_pattern',
      'namesakes_fit_pattern',
      'fits_name',
      'namesakes_fit_name',
      'other_pattern',
      'has_left',
      'no_one_known',
      'not_a_name',
      'no_answer',
    ),
  }),
});

/**
 * Reads weights from the JSON of a file. Sources and groups that it lacks have the built-in values: weights that were
 * fitted with an earlier release keep working.
 *
 * @throws ZodError if a field of a source is missing, unknown or out of bounds
 */
export function readWeights(json: unknown): Weights {
  const given = partsOfFile.safeParse(json);
  return weightsFile.parse(
    given.success
      ? {
          ...given.data,
          groupCaps: { ...builtIn.groupCaps, ...given.data.groupCaps },
          sources: { ...builtIn.sources, ...given.data.sources },
        }
      : json,
  );
}

const partsOfFile = z.looseObject({ groupCaps: z.looseObject({}), sources: z.looseObject({}) });

/**
 * The built-in weights. With their prior of 0.74, +1.9 is enough for a posterior of 0.95: a published key suffices, an
 * account or a slightly different text does not. The reasons for the values:
 *
 * - A missing key counts for nothing, because hardly anyone publishes keys. A key for a made-up mailbox makes the
 *   source useless for the domain.
 * - A company has reasons to keep its contact page, imprint, security.txt and page data right: they count almost like
 *   a published key. A page of the team keeps people who left, so it needs a second sign, such as a known
 *   person. Other pages count for less (ADR 0071). A site that does not print an address says nothing about it.
 * - The real recipient is always the first of its transaction, and this alone may change the wording of its reply.
 * - Mailboxes vanish at 20 to 25 % a year, so half of what was true still is after 990 days; a bounce stays valid as
 *   long. The replies of a host depend on its settings, which change sooner.
 * - A delivery proves that the mailbox existed on that day only. At that rate 0.98 of the mailboxes are left after a
 *   month, 0.96 after two and 0.77 after a year, which is hardly more than the prior: in log-likelihood ratios, this is
 *   a fresh +4 with a half-life of 60 days.
 * - A known person whose name makes the address by the domain's known pattern has it in nine of ten cases: the
 *   others are exceptions and stale records, about which lists err too. So the finding needs a second sign as well. The
 *   values for people and patterns are what a population measures (ADR 0075).
 * - The kind of an address is its prior: together at most 1.5, so that at the prior of 0.74 no kind reaches 0.93. Of
 *   shapes, only three have a starting value, no larger than what a population measures. Providers and kinds of domains
 *   start at 0, because no publication says how they differ (ADR 0084).
 */
export const weights: Weights = readWeights(builtIn);
