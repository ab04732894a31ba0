import type { ImportKind } from '../domain/import/fields.ts';
import type { ImportReport } from '../domain/import/import-file.ts';
import type { Mapping } from '../domain/import/mapping.ts';
import type { RawValues } from '../domain/import/raw-row.ts';
import { readText } from '../domain/reading/text.ts';
import { number } from './progress.ts';

const examplesMax = 2;
const exampleCharactersMax = 32;
const columnsMax = 60;

const reasons: Readonly<Record<string, string>> = {
  no_name: 'no name',
  no_domain_or_profile: 'neither a domain of its own nor a profile',
  no_profile_url: 'no profile URL',
  not_a_profile_url: 'the profile URL is no address on the web',
  profile_of_a_person: 'the profile is a person’s',
  profile_of_an_organisation: 'the profile is an organisation’s',
  email_address: 'an email address stands in a column that is loaded',
  not_json: 'the line is no JSON',
  not_an_object: 'the line is no JSON object',
  wrong_column_count: 'more or fewer columns than the first line',
  suppressed: 'the person asked to be left out',
  too_old: 'the source is older than people may be kept',
  synthetic_and_real: 'an invented record stands in its place',
};

/** Which column is loaded as what, with what stands in it. */
export function mappingTable(
  columns: readonly string[],
  mapping: Mapping,
  samples: readonly RawValues[],
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
  const widths = [0, 1].map(place => Math.max(6, ...rows.map(row => row[place as 0 | 1].length)));
  const lines = [['column', 'field', 'such as'] as const, ...rows].map(
    ([column, field, shown]) =>
      `  ${column.padEnd(widths[0] ?? 0)}  ${field.padEnd(widths[1] ?? 0)}  ${shown}`,
  );
  const rest = columns.length - rows.length;
  return [...lines, ...(rest > 0 ? [`  and ${rest} columns more`] : [])]
    .map(text => text.trimEnd())
    .join('\n');
}

function short(column: string): string {
  return readText(column, 40) ?? '';
}

/** What became of the file, in words. */
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
    `  refused    ${number(sum)}`,
    ...refused.map(([reason, count]) => {
      const shown = facts.examples.get(reason);
      const where = shown ? `, in line ${shown.join(', ')}${count > shown.length ? ' …' : ''}` : '';
      return `    ${number(count)}: ${reasons[reason] ?? reason}${where}`;
    }),
    ...Object.entries(report.ignored).map(
      ([field, count]) => `  ${field} was not understood in ${number(count)} rows and left blank there`,
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
      ? [`Went on after ${number(report.rowsBefore)} rows that had been loaded before.`]
      : [];
  switch (report.state) {
    case 'ended':
      return [
        ...before,
        isDryRun ? 'Read the file to its end; nothing was stored.' : 'Loaded the file to its end.',
      ];
    case 'ended_before':
      return [
        'This file was loaded to its end before: 0 changed. Its report then, and --again goes through it once more:',
      ];
    case 'stopped':
      return [...before, 'Stopped. What is loaded stays; the same command goes on from here.'];
    case 'broken':
      return [
        ...before,
        `The file cannot be read to its end. ${report.fault ?? ''}`,
        isDryRun ? 'Before that:' : 'What stood before that is loaded, and stays:',
      ];
  }
}
