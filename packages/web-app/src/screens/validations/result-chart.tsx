import { Bar, BarChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import { resultLooks, results } from '../../design/badge.tsx';
import { formatNumber } from '../../design/format.ts';
import { countFor, type ResultCounts } from '../../design/progress.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import styles from './validations.module.css';

/** A bar of the chart, and a row of its table. */
export interface ResultLine {
  readonly name: string;
  readonly rows: number;
  readonly results: ResultCounts;
}

const barHeightPx = 30;
const axisHeightPx = 40;
const nameCharactersMax = 18;

interface ResultChartProps {
  readonly name: string;
  /** What each line counts, such as "Provider". */
  readonly noun: string;
  readonly lines: readonly ResultLine[];
}

/** The results of the rows that share a value, as a chart and as a table. */
export function ResultChart({ name, noun, lines }: ResultChartProps) {
  return (
    <figure className={styles.chart}>
      <div aria-hidden>
        <ResponsiveContainer width="100%" height={lines.length * barHeightPx + axisHeightPx}>
          <BarChart
            data={[...lines]}
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
                dataKey={line => countFor((line as ResultLine).results, result)}
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
        <DataTable name={name} columns={columnsOf(noun)} rows={lines} rowId={({ name }) => name} />
      </details>
    </figure>
  );
}

const columnsOf = (noun: string): readonly Column<ResultLine>[] => [
  { id: 'name', header: noun, cell: ({ name }) => name },
  { id: 'rows', header: 'Rows', width: '5rem', align: 'end', cell: ({ rows }) => formatNumber(rows) },
  ...results.map(
    (result): Column<ResultLine> => ({
      id: result,
      header: resultLooks[result].name,
      width: 'minmax(5.5rem, max-content)',
      align: 'end',
      cell: line => formatNumber(countFor(line.results, result)),
    }),
  ),
];

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
  const line = payload?.[0]?.payload as ResultLine | undefined;
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
