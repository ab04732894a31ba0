import type { ImportKind } from '../domain/import/fields.ts';
import type { ImportReport } from '../domain/import/import-file.ts';
import type { Mapping } from '../domain/import/mapping.ts';
import type { RawValues } from '../domain/import/table-file.ts';
import { readText } from '../domain/reading/text.ts';
import { number } from './command-context.ts';

const examplesMax = 2;
const exampleCharactersMax = 32;
const columnsMax = 60;

const reasons: Readonly<Record<string, string>> = {
  no_name: 'no name',
  no_domain_or_profile: 'neither its own domain nor a profile',
  no_profile_url: 'no profile URL',
  not_a_profile_url: 'the profile URL is not a web URL',
  profile_of_a_person: 'the profile belongs to a person',
  profile_of_an_organisation: 'the profile belongs to an organization',
  email_address: 'a loaded column contains an email address',
  not_json: 'the line is no JSON',
  not_an_object: 'the line is no JSON object',
  wrong_column_count: 'more or fewer columns than the first line',
  suppressed: 'the person asked to be left out',
  too_old: 'the source is older than people may be kept',
  synthetic_and_real: 'a synthetic record has the same key',
};

/** Shows as which field each column is loaded, with sample values. */
export function mappingTable(
  columns: readonly string[],
  mapping: Mapping,
  samples: readonly RawValues[],
  layout: string | undefined,
): string {
  const fields = new Map(Object.entries(mapping).map(([field, column]) => [column, field]));
  const rows = columns.slice(0, columnsMax).map(column => {
    const shown = samples.flatMap(sample => {
      const value = sample[column] ?? '';
      return readText(typeof value === 'string' ? value : value.join(', '), exampleCharactersMax) ?? [];
    });
    return [
      short(column),
      fields.get(column) ?? '(not loaded)',
      shown.slice(0, examplesMax).join(' | '),
    ] as const;
  });
  const widths = [0, 1].map(index => Math.max(6, ...rows.map(row => row[index as 0 | 1].length)));
  const lines = [['column', 'field', 'such as'] as const, ...rows].map(
    ([column, field, shown]) =>
      `  ${column.padEnd(widths[0] ?? 0)}  ${field.padEnd(widths[1] ?? 0)}  ${shown}`,
  );
  const rest = columns.length - rows.length;
  const opening = layout === undefined ? [] : [`An export of ${layout}:`];
  return [...opening, ...lines, ...(rest > 0 ? [`  and ${rest} columns more`] : [])]
    .map(text => text.trimEnd())
    .join('\n');
}

function short(column: string): string {
  return readText(column, 40) ?? '';
}

/** Describes the outcome of an import. */
export function reportText(
  kind: ImportKind,
  report: ImportReport,
  facts: {
    readonly seconds: number;
    readonly examples: ReadonlyMap<string, readonly number[]>;
    readonly isDryRun: boolean;
  },
): string {
  const rows = report.rowsDone - report.rowsBefore;
  const refused = Object.entries(report.refused);
  const sum = refused.reduce((total, [, count]) => total + count, 0);
  const lines = [
    ...opening(report, facts.isDryRun),
    ...(facts.isDryRun
      ? [`  ${kind} that can be loaded  ${number(report.added)}`]
      : [
          `  added      ${number(report.added)}`,
          `  merged     ${number(report.merged)}`,
          `  unchanged  ${number(report.unchanged)}`,
        ]),
    ...(report.companies.added + report.companies.merged === 0
      ? []
      : [
          `  companies of these people: ${number(report.companies.added)} added, ${number(report.companies.merged)} updated`,
        ]),
    `  refused    ${number(sum)}`,
    ...refused.map(([reason, count]) => {
      const shown = facts.examples.get(reason);
      const where = shown ? `, on line ${shown.join(', ')}${count > shown.length ? ' …' : ''}` : '';
      return `    ${number(count)}: ${reasons[reason] ?? reason}${where}`;
    }),
    ...Object.entries(report.ignored).map(
      ([field, count]) => `  ${field} could not be read in ${number(count)} rows and was left blank there`,
    ),
    ...(report.state === 'ended_before'
      ? []
      : [
          `  ${number(rows)} rows in ${facts.seconds.toFixed(1)} s, ${number(rows / Math.max(facts.seconds, 0.001))} a second`,
        ]),
  ];
  return `${lines.join('\n')}\n`;
}

function opening(report: ImportReport, isDryRun: boolean): string[] {
  const before =
    report.rowsBefore > 0 && report.state !== 'ended_before'
      ? [`Continued after ${number(report.rowsBefore)} rows that were already loaded.`]
      : [];
  switch (report.state) {
    case 'ended':
      return [...before, isDryRun ? 'Read the whole file; nothing was stored.' : 'Loaded the whole file.'];
    case 'ended_before':
      return ['This file was already loaded: 0 changed. Its report follows; use --again to load it again:'];
    case 'stopped':
      return [...before, 'Stopped. Loaded rows are kept; run the same command to continue.'];
    case 'broken':
      return [
        ...before,
        `The file could not be read completely. ${report.fault ?? ''}`,
        isDryRun ? 'Before that:' : 'Rows before that are loaded and kept:',
      ];
  }
}
