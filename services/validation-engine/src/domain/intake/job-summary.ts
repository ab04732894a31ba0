import {
  type EmailType,
  limits,
  type ValidationJobSummary,
  type ValidationResult,
  validationResults,
} from '@mailproof/shared-types';

/** Rows of a job that share a value, by one of three criteria. */
export type RowGroup = { readonly rows: number } & (
  | { readonly by: 'provider'; readonly provider: string | null; readonly result: ValidationResult }
  | { readonly by: 'emailType'; readonly emailType: EmailType | null }
  | { readonly by: 'reason'; readonly result: ValidationResult; readonly reason: string }
);

type Provider = ValidationJobSummary['providers'][number];

/** A numeric summary of the findings on a job's rows. */
export function summaryOf(groups: readonly RowGroup[]): ValidationJobSummary {
  const all = providersOf(groups);
  const known = all.filter(({ provider }) => provider !== null).sort(byRowsFirst);
  const others = known.slice(limits.summaryProvidersMax);
  return {
    providers: [
      ...known.slice(0, limits.summaryProvidersMax),
      ...all.filter(({ provider }) => provider === null),
    ],
    other_providers:
      others.length === 0
        ? null
        : { providers: others.length, rows: rowsOf(others), results: resultsOf(others) },
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

function providersOf(groups: readonly RowGroup[]): Provider[] {
  const found = new Map<string | null, Provider>();
  for (const group of groups) {
    if (group.by === 'provider') {
      const { provider, result, rows } = group;
      const before = found.get(provider) ?? { provider, rows: 0, results: resultsOf([]) };
      const results = { ...before.results, [result]: before.results[result] + rows };
      found.set(provider, { provider, rows: before.rows + rows, results });
    }
  }
  return [...found.values()];
}

function rowsOf(groups: readonly { readonly rows: number }[]): number {
  return groups.reduce((sum, { rows }) => sum + rows, 0);
}

function resultsOf(providers: readonly Provider[]): Provider['results'] {
  return Object.fromEntries(
    validationResults.map(result => [
      result,
      providers.reduce((sum, { results }) => sum + results[result], 0),
    ]),
  ) as Provider['results'];
}

function byRowsFirst(one: { readonly rows: number }, other: { readonly rows: number }): number {
  return other.rows - one.rows;
}
