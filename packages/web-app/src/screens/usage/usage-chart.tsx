import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { Schema } from '../../api/client.ts';
import { formatCredits, formatNumber } from '../../design/format.ts';
import { operationColor, operationName } from '../../ledger/operations.ts';
import { barDays, barsOf, totalsOf } from '../../ledger/spending.ts';
import styles from './usage.module.css';

const heightPx = 260;
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });

/** Bars by day, stacked by operation. Screen readers get a sentence and the table below. */
export function UsageChart({ usage }: { readonly usage: Schema['Usage'] }) {
  const bars = barsOf(usage.days, usage);
  const size = barDays(usage);
  const rows = bars.map(({ day: first, parts }) => ({ first, ...parts }));
  return (
    <figure
      className={styles.chart}
      role="img"
      aria-label={`${formatCredits(usage.spent)} spent, by ${size === 1 ? 'day' : 'week'}. See the table below for details.`}
    >
      <div aria-hidden>
        <ResponsiveContainer width="100%" height={heightPx}>
          <BarChart data={rows} margin={{ top: 8, right: 0, bottom: 0, left: 0 }} accessibilityLayer={false}>
            <CartesianGrid vertical={false} stroke="var(--line)" />
            <XAxis
              dataKey="first"
              tickFormatter={dayWords}
              tickLine={false}
              axisLine={false}
              minTickGap={24}
              tick={{ fill: 'var(--ink-soft)', fontSize: 12 }}
            />
            <YAxis
              width={44}
              allowDecimals={false}
              tickFormatter={formatNumber}
              tickLine={false}
              axisLine={false}
              tick={{ fill: 'var(--ink-soft)', fontSize: 12 }}
            />
            <Tooltip
              cursor={{ fill: 'var(--accent-soft)' }}
              isAnimationActive={false}
              labelFormatter={label => dayWords(String(label))}
              formatter={value => formatCredits(Number(value))}
              contentStyle={{
                background: 'var(--surface-raised)',
                borderColor: 'var(--line)',
                borderRadius: 'var(--radius-sm)',
              }}
            />
            {totalsOf(usage.days).map(({ operation }) => (
              <Bar
                key={operation}
                dataKey={operation}
                name={operationName(operation)}
                stackId="spent"
                fill={operationColor(operation)}
                maxBarSize={36}
                isAnimationActive={false}
              />
            ))}
          </BarChart>
        </ResponsiveContainer>
      </div>
      {size > 1 && <figcaption className={styles.soft}>Each bar is {size} days.</figcaption>}
    </figure>
  );
}

function dayWords(iso: string): string {
  return iso === '' ? '' : day.format(new Date(iso));
}
