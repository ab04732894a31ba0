import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Random } from './random.ts';

const share = z.number().min(0).max(1);

/** What a rate does to evidence when all rates are taken to be off by two. */
const effects = ['evidence', 'error', 'missing', 'mix', 'neutral'] as const;

const rate = z
  .strictObject({
    value: share,
    low: share,
    high: share,
    effect: z.enum(effects),
    /** A publication and its year, or the reason for the range. */
    from: z.string().min(10),
  })
  .refine(({ value, low, high }) => low <= value && value <= high, 'the value is outside of its range');
const range = z.strictObject({ min: z.int().positive(), max: z.int().positive(), from: z.string().min(10) });

function rates<Name extends string>(...names: readonly Name[]) {
  return z.strictObject(Object.fromEntries(names.map(name => [name, rate])) as Record<Name, typeof rate>);
}

export const sizes = ['micro', 'small', 'medium', 'large'] as const;
export type Size = (typeof sizes)[number];
export const countries = ['us', 'gb', 'de', 'fr', 'es', 'nl', 'pl', 'se', 'tr'] as const;
export type Country = (typeof countries)[number];
export const patterns = [
  'first',
  'first.last',
  'flast',
  'f.last',
  'last',
  'firstlast',
  'first.l',
  'firstl',
  'first_last',
  'last.first',
] as const;
export type Pattern = (typeof patterns)[number];
export const providers = [
  'self_hosted',
  'google_workspace',
  'microsoft_365',
  'proofpoint',
  'mimecast',
  'barracuda',
  'other_host',
] as const;
export type Provider = (typeof providers)[number];
/** How an asked address came into the list. */
export const askedKinds = [
  'staff',
  'role',
  'leaver',
  'permutedGuess',
  'notStaff',
  'typo',
  'random',
  'roleGuess',
  'scraped',
] as const;
export type AskedKind = (typeof askedKinds)[number];

function bySize<Of extends z.ZodType>(of: Of) {
  return z.strictObject({ micro: of, small: of, medium: of, large: of });
}

const ratesFile = z.strictObject({
  about: z.string(),
  shareOfAddresses: rates(...sizes),
  staff: bySize(range),
  askedPerCompany: bySize(range),
  providers: rates(...providers),
  mailHosts: rates(
    'tenantBehindGatewayPublished',
    'replyCodeDiffers',
    'replyStatusDiffers',
    'replyTextDiffers',
    'replyTextVaries',
  ),
  directories: rates(
    'openpgpkey',
    'smimea',
    'webKeyDirectory',
    'webfinger',
    'webfingerKnowsEveryone',
    'staffInDirectory',
    'leaverStaysInDirectory',
  ),
  website: rates(...sizes, 'unreachable', 'redirectsElsewhere', 'builtInBrowser'),
  printed: rates(
    'roleAddress',
    'noReplyAddress',
    'agencyAddress',
    'peopleMicro',
    'peopleSmall',
    'peopleMedium',
    'peopleLarge',
    'staffShareMicro',
    'staffShareSmall',
    'staffShareMedium',
    'staffShareLarge',
    'spread',
    'obfuscated',
    'leaverOfLastYear',
    'leaverOfEarlierYears',
    'placeholder',
    'comments',
    'formatNotice',
    'softNotFound',
    'echoesPath',
    'notFoundHasNavigation',
    'honeypotThousands',
    'honeypotFew',
  ),
  people: rates(
    'leaveInAYear',
    'mailboxKeptFirstYear',
    'mailboxKeptLater',
    'doubleSurname',
    'secondFirstName',
    'commonSurname',
  ),
  patterns: bySize(rates(...patterns)),
  patternUse: rates(
    'secondPatternMicro',
    'secondPatternSmall',
    'secondPatternMedium',
    'secondPatternLarge',
    'staffOnSecondPattern',
    'exception',
    'aliasInOtherPattern',
    'umlautWithE',
    'particleKept',
    'doubleSurnameWhole',
    'namesakeGetsNumber',
  ),
  peopleStore: rates(
    'knowsStaff',
    'knewLeaver',
    'leaverOfLastYearStillListed',
    'leaverOfEarlierYearsStillListed',
    'neverWorkedThere',
    'otherNameForm',
    'isHalf',
  ),
  countries: rates(...countries),
  asked: rates(...askedKinds),
  roles: rates('exists'),
});

type Rate = z.output<typeof rate>;
export type Rates = z.output<typeof ratesFile>;

/** The path of a file with other rates, in the form of `rates.json`. */
const otherFile = process.env['PRECISION_RATES'];

/** @throws ZodError if a rate is missing, unknown or outside of its range */
export function loadRates(path: string | URL = otherFile ?? new URL('rates.json', import.meta.url)): Rates {
  return ratesFile.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** The rates with each one drawn uniformly from its range. */
export function drawRates(fixed: Rates, random: Random): Rates {
  return withValues(fixed, ({ low, high }) => low + random() * (high - low));
}

export type Direction = 'worse' | 'better';

/**
 * Every rate off by two. Where evidence is worse, true evidence is half as frequent, and false evidence and addresses
 * that do not exist are twice as frequent; where it is better, the other way round.
 */
export function offByTwo(fixed: Rates, direction: Direction): Rates {
  const factor = direction === 'worse' ? 2 : 0.5;
  const factors = { evidence: 1 / factor, error: factor, missing: factor, mix: 1, neutral: 1 };
  return withValues(fixed, ({ value, effect }) => Math.min(1, value * factors[effect]));
}

function withValues(fixed: Rates, newValue: (rate: Rate) => number): Rates {
  const change = (node: unknown): unknown => {
    if (typeof node !== 'object' || node === null) {
      return node;
    }
    if ('effect' in node) {
      const value = newValue(node as Rate);
      const { low, high } = node as Rate;
      return { ...node, value, low: Math.min(low, value), high: Math.max(high, value) };
    }
    return Object.fromEntries(Object.entries(node).map(([name, child]) => [name, change(child)]));
  };
  return ratesFile.parse(change(fixed));
}
