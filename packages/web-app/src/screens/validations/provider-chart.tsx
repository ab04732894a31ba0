import { Bar, BarChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { Schema } from '../../api/client.ts';
import { resultLooks, results } from '../../design/badge.tsx';
import { countOf, formatNumber } from '../../design/format.ts';
import { countFor, type ResultCounts } from '../../design/progress.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { providerName } from './job-words.ts';
import styles from './validations.module.css';

type Summary = Schema['ValidationJobSummary'];

interface Line {
  readonly name: string;
  readonly rows: number;
  readonly results: ResultCounts;
}

const barHeightPx = 30;
const axisHeightPx = 40;
const nameCharactersMax = 18;

/** The results by mail provider, as a chart and as a table. */
export function ProviderChart({ summary }: { readonly summary: Summary }) {
  const lines = linesOf(summary);
  return (
    <figure className={styles.chart}>
      <div aria-hidden>
        <ResponsiveContainer width="100%" height={lines.length * barHeightPx + axisHeightPx}>
          <BarChart
            data={lines}
            layout="vertical"
            margin={{ top: 0, right: 12, bottom: 0, left: 0 }}
            accessibilityLayer={false}
            barCategoryGap={6}
          >
            <XAxis
              type="number"
              allowDecimals={false}
              tickFormatter={formatNumber}
              stroke="var(--line-strong)"
              tick={{ fill: 'var(--ink-soft)', fontSize: 12 }}
            />
            <YAxis
              type="category"
              dataKey="name"
              width={130}
              interval={0}
              stroke="var(--line-strong)"
              tick={{ fill: 'var(--ink)', fontSize: 12 }}
              tickFormatter={cut}
            />
            <Tooltip content={Hint} cursor={{ fill: 'var(--surface-sunken)' }} isAnimationActive={false} />
            {results.map(result => (
              <Bar
                key={result}
                dataKey={line => countFor((line as Line).results, result)}
                name={resultLooks[result].name}
                stackId="results"
                fill={`var(--${resultLooks[result].tone})`}
                isAnimationActive={false}
              />
            ))}
          </BarChart>
        </ResponsiveContainer>
      </div>
      <details className={styles.details}>
        <summary>Show as table</summary>
        <DataTable
          name="Results by mail provider"
          columns={columns}
          rows={lines}
          rowId={({ name }) => name}
        />
      </details>
    </figure>
  );
}

const columns: readonly Column<Line>[] = [
  { id: 'name', header: 'Provider', cell: ({ name }) => name },
  { id: 'rows', header: 'Rows', width: '5rem', align: 'end', cell: ({ rows }) => formatNumber(rows) },
  ...results.map(
    (result): Column<Line> => ({
      id: result,
      header: resultLooks[result].name,
      width: 'minmax(5.5rem, max-content)',
      align: 'end',
      cell: line => formatNumber(countFor(line.results, result)),
    }),
  ),
];

function linesOf({ providers, other_providers: others }: Summary): Line[] {
  const named = providers.map(({ provider, ...line }) => ({
    ...line,
    name: provider === null ? 'Unknown provider' : providerName(provider),
  }));
  return others ? [...named, { ...others, name: countOf(others.providers, 'other') }] : named;
}

function cut(name: string): string {
  return name.length > nameCharactersMax ? `${name.slice(0, nameCharactersMax - 1)}…` : name;
}

function Hint({
  active,
  payload,
}: {
  readonly active?: boolean;
  readonly payload?: readonly { payload?: unknown }[];
}) {
  const line = payload?.[0]?.payload as Line | undefined;
  if (!active || !line) return null;
  return (
    <div className={styles.hint}>
      <strong>{line.name}</strong>
      {results
        .filter(result => countFor(line.results, result) > 0)
        .map(result => (
          <span key={result}>
            {resultLooks[result].name}: {formatNumber(countFor(line.results, result))}
          </span>
        ))}
    </div>
  );
}
