import { markdownTable, quantile } from '@mailproof/dev-house/bench';
import { openFacets, type PeopleFacetName } from '@mailproof/shared-types';
import { type BenchOptions, p95MsMaxOf } from './options.ts';

export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
  readonly max: number;
}

export interface KindReport {
  readonly name: string;
  /** The average number of people found. */
  readonly found: number;
  /** The average CPU time of both threads per search, which does not depend on other load on the machine. */
  readonly cpuMs: number;
  readonly index: Percentiles;
  readonly sql?: Percentiles;
}

/** How the answers of an index differ from those of SQL. */
export interface Differences {
  /** Searches with any difference. */
  searches: number;
  totals: number;
  pages: number;
  /** Of each facet: values compared, those that differ, and the most that a count was too low, as a share. */
  facets: Partial<
    Record<PeopleFacetName, { readonly values: number; readonly wrong: number; readonly lowBy: number }>
  >;
  /** The filters of one search that differs. */
  example?: string;
}

export interface Compared {
  readonly searches: number;
  /** Searches that found anyone, and how many people they all found on average. */
  readonly found: number;
  readonly people: number;
  readonly seconds: number;
  readonly changed: number;
  readonly suppressed: number;
  readonly changedPerSecond: number;
  /** From the last change until both indices had it. */
  readonly behindMs: Percentiles;
  readonly differences: { readonly memory: Differences; readonly engine: Differences };
}

/** The measurements so far; times in milliseconds unless stated otherwise. */
export interface Report {
  readonly options: BenchOptions;
  fillSeconds?: number;
  load?: {
    readonly seconds: number;
    /** CPU time of this process; Postgres uses more. */
    readonly cpuSeconds: number;
    /** Of the search engine's process, if it is measured. */
    readonly engineCpuSeconds?: number;
    /** The size of the columns, or of the search engine's index on disk. */
    readonly columnsMb: number;
    readonly processMb: number;
  };
  readonly kinds: KindReport[];
  mixed?: Percentiles & {
    readonly perSecond: number;
    readonly changedPerSecond: number;
    /** The maximum lag of the index behind the store. */
    readonly behindMsMax: number;
  };
  lag?: Percentiles;
  compared?: Compared;
  readonly failures: string[];
}

export function percentiles(values: readonly number[]): Percentiles {
  return { p50: quantile(values, 0.5), p95: quantile(values, 0.95), max: quantile(values, 1) };
}

/** Whether everything was measured, the results agree, and the bound is met. */
export function isKept({ options, kinds, mixed, lag, compared, failures }: Report): boolean {
  if (options.compare !== undefined) {
    return (
      failures.length === 0 &&
      compared?.searches === options.compare &&
      compared.found > 0 &&
      compared.differences.memory.searches === 0 &&
      isAsExact(compared.differences.engine, options.engineShards)
    );
  }
  const measured = [...kinds.map(({ index }) => index), ...(mixed ? [mixed] : [])];
  return (
    failures.length === 0 &&
    (options.ofCompanies || (lag !== undefined && mixed !== undefined)) &&
    measured.every(({ p95 }) => p95 <= p95MsMaxOf(options))
  );
}

/** With more than one shard, counts of values of open facets can be too low. */
function isAsExact({ searches, totals, pages, facets }: Differences, shards: number): boolean {
  const wrong = Object.keys(facets).filter(name => (facets[name as PeopleFacetName]?.wrong ?? 0) > 0);
  return shards === 1
    ? searches === 0
    : totals + pages === 0 && wrong.every(name => (openFacets as readonly string[]).includes(name));
}

/** Formats the report as text. */
export function textOf(report: Report): string {
  const { options, fillSeconds, load, kinds, mixed, lag, compared, failures } = report;
  const header = ['filters', 'found', 'p50 ms', 'p95 ms', 'CPU ms', 'SQL p50 ms', '× SQL'];
  const rows = kinds.map(({ name, found, cpuMs, index, sql }) => [
    name,
    found.toFixed(0),
    index.p50.toFixed(1),
    index.p95.toFixed(1),
    cpuMs.toFixed(1),
    sql?.p50.toFixed(0) ?? '',
    sql ? (sql.p50 / index.p50).toFixed(0) : '',
  ]);
  const lines = [
    `${options.people.toLocaleString('en')} people of ${options.companies.toLocaleString('en')} companies, seed ${options.seed}; filled in ${fillSeconds?.toFixed(0)} s.`,
    load?.engineCpuSeconds !== undefined &&
      `The search engine (${options.engineHeapGb} GB of heap, shards: ${options.engineShards}) is filled in ${load.seconds.toFixed(0)} s (${load.cpuSeconds.toFixed(0)} s of work in the service, ${load.engineCpuSeconds.toFixed(0)} s in the engine); its index takes ${load.columnsMb.toFixed(0)} MB of disk, its process ${load.processMb.toFixed(0)} MB of memory.`,
    load &&
      load.engineCpuSeconds === undefined &&
      `The index loads in ${load.seconds.toFixed(1)} s (${load.cpuSeconds.toFixed(1)} s of work) and has ${load.columnsMb.toFixed(0)} MB of columns; the process grew by ${load.processMb.toFixed(0)} MB, its thread included.`,
    kinds.length > 0 &&
      `Total, all facets and the first 100 ${options.ofCompanies ? 'companies' : 'people'}, ${options.searches} searches of each kind:`,
    kinds.length > 0 && markdownTable(header, rows),
    mixed &&
      `Mixed, ${options.clients} clients for ${options.seconds} s, ${mixed.changedPerSecond.toFixed(0)} people changing a second: ${mixed.perSecond.toFixed(0)} searches/s, p50 ${mixed.p50.toFixed(1)} ms, p95 ${mixed.p95.toFixed(1)} ms, the longest ${mixed.max.toFixed(1)} ms; the index was ${mixed.behindMsMax} ms behind the store at most.`,
    lag && `A new person is counted after ${lag.p50.toFixed(0)} ms (p50), ${lag.max.toFixed(0)} ms at most.`,
    compared && comparedText(compared),
    ...failures.map(each => `FAILED ${each}`),
    options.compare === undefined
      ? `${isKept(report) ? 'kept  ' : 'MISSED'} ${p95MsMaxOf(options)} ms at p95 for every kind${options.ofCompanies ? '' : ' and mixed'}, with totals as SQL counts them.`
      : `${isKept(report) ? 'kept  ' : 'MISSED'} the answers of SQL in ${options.compare} searches${options.engineShards > 1 ? ', but for counts of facets that shards cut off' : ''}.`,
  ];
  return `${lines.filter(line => typeof line === 'string').join('\n\n')}\n`;
}

function comparedText(compared: Compared): string {
  const { searches, found, people, seconds, changed, suppressed, changedPerSecond, behindMs } = compared;
  const lines = Object.entries(compared.differences).map(([index, differences]) => {
    const wrong = Object.entries(differences.facets).filter(each => each[1].wrong > 0);
    const facets = wrong.map(
      ([name, { values, wrong: count, lowBy }]) =>
        `${name} ${count} of ${values} values, at most ${(100 * lowBy).toFixed(1)} % too low`,
    );
    return `- ${index}: ${differences.searches} searches differ: ${differences.totals} totals, ${differences.pages} pages; facets: ${facets.join('; ') || 'none'}.${differences.example ? ` One of them: ${differences.example}` : ''}`;
  });
  return [
    `${searches} random searches with all facets compared with SQL in ${seconds.toFixed(0)} s; ${found} found anyone, all of them ${people.toFixed(0)} people on average. Between them ${changed} changes, ${changedPerSecond.toFixed(0)} a second while people changed, of which ${suppressed} people suppressed; both indices had followed after ${behindMs.p50.toFixed(0)} ms (p50), ${behindMs.max.toFixed(0)} ms at most.`,
    ...lines,
  ].join('\n');
}
