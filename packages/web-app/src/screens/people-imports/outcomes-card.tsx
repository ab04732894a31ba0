import type { ReactNode } from 'react';
import { addressWithAccount } from '../../api/browser-session.ts';
import type { Schema } from '../../api/client.ts';
import { DownloadLink } from '../../design/downloads.tsx';
import { countOf, formatNumber } from '../../design/format.ts';
import { Card, Facts } from '../../design/layout.tsx';
import { fieldLabels, type PeopleImport } from './mapping.ts';

interface OutcomesCardProps {
  readonly title: string;
  readonly record: PeopleImport;
  readonly outcomes: Schema['PeopleImportOutcomes'];
  readonly children?: ReactNode;
}

const linesShown = new Intl.ListFormat('en');

function linesWord(rows: number, shown: number): string {
  return rows > shown ? 'First lines:' : shown === 1 ? 'Line' : 'Lines';
}

/** What an import would do, or has done. */
export function OutcomesCard({ title, record, outcomes, children }: OutcomesCardProps) {
  const { added, changed, unchanged, saved_before: savedBefore, refused, refusals } = outcomes;
  return (
    <Card title={title}>
      <Facts
        facts={[
          ['New people', formatNumber(added)],
          ['Changed', formatNumber(changed)],
          ['Unchanged', formatNumber(unchanged)],
          ...(savedBefore > 0
            ? [['Saved before, kept as they are', formatNumber(savedBefore)] as const]
            : []),
          ['Refused rows', formatNumber(refused)],
        ]}
      />
      {refusals.length > 0 && (
        <ul aria-label="Reasons for refused rows">
          {refusals.map(({ reason, detail, rows, lines }) => (
            <li key={reason}>
              {countOf(rows, 'row')}: {detail} {linesWord(rows, lines.length)}{' '}
              {linesShown.format(lines.map(formatNumber))}.
            </li>
          ))}
        </ul>
      )}
      {outcomes.left_blank.length > 0 && (
        <p>
          Left blank because it could not be read:{' '}
          {linesShown.format(
            outcomes.left_blank.map(
              ({ field, rows }) => `${fieldLabels[field].toLowerCase()} in ${countOf(rows, 'row')}`,
            ),
          )}
          .
        </p>
      )}
      {refused > 0 && (
        <div>
          <DownloadLink href={addressWithAccount(`/people-imports/${record.import_id}/refused-rows.csv`)}>
            Download refused rows
          </DownloadLink>
        </div>
      )}
      {children}
    </Card>
  );
}
