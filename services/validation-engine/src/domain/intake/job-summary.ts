import {
  type EmailType,
  limits,
  type ValidationJobSummary,
  type ValidationResult,
  validationResults,
} from '@mailproof/shared-types';

/** Rows of a job that share a value, by one of four criteria. */
export type RowGroup = { readonly rows: number } & (
  | { readonly by: 'provider'; readonly provider: string | null; readonly result: ValidationResult }
  | {
      readonly by: 'domain';
      /** Null for all domains with fewer rows than those that are named. */
      readonly domain: string | null;
      /** The number of domains of the job. */
      readonly domains: number;
      readonly result: ValidationResult;
    }
  | { readonly by: 'emailType'; readonly emailType: EmailType | null }
  | { readonly by: 'reason'; readonly result: ValidationResult; readonly reason: string }
);

type Results = ValidationJobSummary['providers'][number]['results'];

/** Rows that share a name, by their results. */
interface Tally {
  readonly name: string | null;
  readonly rows: number;
  readonly results: Results;
}

/** A numeric summary of the findings on a job's rows. */
export function summaryOf(groups: readonly RowGroup[]): ValidationJobSummary {
  return {
    ...providersOf(groups),
    ...domainsOf(groups),
    email_types: groups
      .flatMap(group => (group.by === 'emailType' ? [{ email_type: group.emailType, rows: group.rows }] : []))
      .sort(byRowsFirst),
    reasons: groups
      .flatMap(group =>
        group.by === 'reason' ? [{ result: group.result, reason: group.reason, rows: group.rows }] : [],
      )
      .sort(byRowsFirst),
  };
}

function providersOf(
  groups: readonly RowGroup[],
): Pick<ValidationJobSummary, 'providers' | 'other_providers'> {
  const all = talliesOf(
    groups.flatMap(group => (group.by === 'provider' ? [{ ...group, name: group.provider }] : [])),
  );
  const known = all.filter(({ name }) => name !== null);
  const others = known.slice(limits.summaryProvidersMax);
  const listed = [...known.slice(0, limits.summaryProvidersMax), ...all.filter(({ name }) => name === null)];
  return {
    providers: listed.map(({ name, ...counts }) => ({ provider: name, ...counts })),
    other_providers:
      others.length === 0
        ? null
        : { providers: others.length, rows: rowsOf(others), results: resultsOf(others) },
  };
}

function domainsOf(groups: readonly RowGroup[]): Pick<ValidationJobSummary, 'domains' | 'other_domains'> {
  const ofDomains = groups.filter(group => group.by === 'domain');
  const tallies = talliesOf(ofDomains.map(group => ({ ...group, name: group.domain })));
  const domains = tallies.flatMap(({ name, ...counts }) =>
    name === null ? [] : [{ domain: name, ...counts }],
  );
  const others = tallies.filter(({ name }) => name === null);
  const countOfAll = ofDomains[0]?.domains ?? 0;
  return {
    domains,
    other_domains:
      others.length === 0
        ? null
        : { domains: countOfAll - domains.length, rows: rowsOf(others), results: resultsOf(others) },
  };
}

/** Adds up the groups of each name, most rows first. */
function talliesOf(
  groups: readonly {
    readonly name: string | null;
    readonly result: ValidationResult;
    readonly rows: number;
  }[],
): Tally[] {
  const found = new Map<string | null, Tally>();
  for (const { name, result, rows } of groups) {
    const before = found.get(name) ?? { name, rows: 0, results: resultsOf([]) };
    const results = { ...before.results, [result]: before.results[result] + rows };
    found.set(name, { name, rows: before.rows + rows, results });
  }
  return [...found.values()].sort(byRowsFirst);
}

function rowsOf(groups: readonly { readonly rows: number }[]): number {
  return groups.reduce((sum, { rows }) => sum + rows, 0);
}

function resultsOf(tallies: readonly Tally[]): Results {
  return Object.fromEntries(
    validationResults.map(result => [result, tallies.reduce((sum, { results }) => sum + results[result], 0)]),
  ) as Results;
}

function byRowsFirst(one: { readonly rows: number }, other: { readonly rows: number }): number {
  return other.rows - one.rows;
}
