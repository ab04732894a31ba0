import { markdownTable } from '@mailproof/dev-house/bench';
import type { Finding, Summary } from './judge.ts';
import type { Measurement, Spread, Subject } from './messages.ts';
import type { BenchOptions } from './options.ts';

export interface Report {
  readonly options: BenchOptions;
  readonly settings: Readonly<Record<string, string>>;
  readonly measurements: readonly Measurement[];
  readonly summaries: readonly Summary[];
  readonly findings: readonly Finding[];
  readonly failure: string | undefined;
}

const subjects: Readonly<Record<Subject, string>> = {
  bare: 'bare UPDATE … RETURNING',
  hold: 'hold, at the Postgres adapter',
  http: 'hold, over HTTP',
};

/** One line per measurement, to show progress. */
export function lineOf({ round, subject, spread, perSecond }: Measurement): string {
  return `round ${round}, ${spread}: ${subjects[subject]} ${perSecond.toFixed(0)}/s\n`;
}

/** The report as text. */
export function textOf({ options, settings, summaries, findings, failure }: Report): string {
  const { clients, connections, rounds, seconds, accounts } = options;
  const spreads: Readonly<Record<Spread, string>> = {
    hot: 'One hot account',
    spread: `${accounts.toLocaleString('en')} accounts`,
  };
  const tables = (['hot', 'spread'] as const).map(spread =>
    [
      spreads[spread],
      markdownTable(
        ['subject', 'a second', '× bare', 'p50 ms', 'p99 ms'],
        summaries
          .filter(each => each.spread === spread)
          .map(each => [
            subjects[each.subject],
            each.perSecond.toFixed(0),
            each.ratio.toFixed(2),
            each.p50Ms.toFixed(2),
            each.p99Ms.toFixed(2),
          ]),
      ),
    ].join('\n\n'),
  );
  const parts = [
    `${clients} clients, ${connections} connections to Postgres, ${rounds} rounds of ${seconds} s each; the median of the rounds.`,
    `Postgres: ${Object.entries(settings)
      .map(([name, setting]) => `${name} ${setting}`)
      .join(', ')}.`,
    ...(summaries.length > 0 ? tables : []),
    findings.map(findingLineOf).join('\n'),
    ...(failure === undefined ? [] : [failure]),
  ];
  return `${parts.join('\n\n')}\n`;
}

function findingLineOf({ promise, measured, bound, kept }: Finding): string {
  return `${kept ? 'kept  ' : 'MISSED'} ${Number(measured.toFixed(2))} ${promise}, at least ${bound}`;
}
