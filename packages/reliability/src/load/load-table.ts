import { circumstances, markdownTable } from '@mailproof/dev-house/bench';
import { type LoadRun, validationKind } from './run-load.ts';
import type { LoadResult } from './start-generator.ts';
import type { ServiceWatch } from './watch-services.ts';

/** The largest allowed p99 of a cached validation at half the peak rate, from the moment at which it was due. */
export const p99MsMax = 50;
/** With this many, a hundred took longer than the p99; with fewer, the result would depend on chance. */
const calmAnswersMin = 10_000;
/** The largest allowed memory growth of any service. */
export const slopeMiBPerMinuteMax = 1;
/** Memory that a service keeps from its first requests on is not a leak; a shorter run cannot distinguish the two. */
export const slopeMinutesMin = 5;

/** Returns the broken promises, in sentences. */
export function loadFaults({ minutes, results, services, jobs }: LoadRun): string[] {
  const slow = results.filter(result => result.name === validationKind && judgedP99Ms(result) > p99MsMax);
  const growing = services.filter(({ slopeMiBPerMinute }) => slopeMiBPerMinute > slopeMiBPerMinuteMax);
  return [
    ...slow.map(
      result => `p99 of a ${validationKind} is ${judgedP99Ms(result).toFixed(1)} ms, more than ${p99MsMax}`,
    ),
    ...(minutes < slopeMinutesMin ? [] : growing).map(
      ({ name, slopeMiBPerMinute }) =>
        `${name} grows by ${slopeMiBPerMinute.toFixed(1)} MiB a minute, more than ${slopeMiBPerMinuteMax}`,
    ),
    ...results
      .filter(({ answered, due }) => answered < due)
      .map(
        ({ name, answered, due, errors }) =>
          `${due - answered} of ${due} × ${name} failed: ${JSON.stringify(errors)}`,
      ),
    ...jobs.errors,
  ];
}

/** The p99 of the requests without stolen CPU time, if there are enough of them (ADR 0051). */
function judgedP99Ms({ p99Ms, calm }: LoadResult): number {
  return calm && calm.answered >= calmAnswersMin ? calm.p99Ms : p99Ms;
}

/** The tables, in Markdown that is also readable in a terminal. */
export function loadTables(run: LoadRun): string {
  const { startedAt, peak, minutes, results, services, jobs } = run;
  const slowest = Math.max(0, ...jobs.seconds);
  const faults = loadFaults(run);
  return [
    ...(peak ? [`Peak: ${peak.perSecond} cached validations a second, kept for a minute.`] : []),
    `Open load for ${minutes} min; times are counted from the moment at which a request was due.`,
    markdownTable(
      ['request', 'a second', 'p50 ms', 'p90 ms', 'p99 ms', 'p99.9 ms', 'longest ms', 'failed'],
      [...results.map(result => rowOf(result, minutes))],
    ),
    ...results.filter(({ name }) => name === validationKind).map(calmOf),
    `${jobs.jobs} jobs of ${jobs.rows} rows together, the slowest in ${slowest.toFixed(1)} s.`,
    markdownTable(
      ['service', 'MiB at first', 'at the end', 'MiB a minute', 'event loop p99 ms', 'longest ms'],
      services.map(serviceRow),
    ),
    ...(minutes < slopeMinutesMin ? [`Slopes are not judged in less than ${slopeMinutesMin} minutes.`] : []),
    ...(faults.length > 0 ? [faults.map(fault => `- MISSED: ${fault}`).join('\n')] : []),
    `${circumstances(startedAt)} The generator and the databases ran on the same machine.${stolenOf(run)}`,
  ].join('\n\n');
}

function stolenOf({ stolenPercent }: LoadRun): string {
  return stolenPercent === undefined
    ? ''
    : ` Its hypervisor gave ${stolenPercent.toFixed(1)} % of the processors' time to others.`;
}

function calmOf({ name, answered, calm }: LoadResult): string {
  if (!calm) return 'Whether others had the processors meanwhile is not counted here, so all are judged.';
  const percent = ((100 * calm.answered) / Math.max(1, answered)).toFixed(0);
  const share = `${calm.answered} × ${name} (${percent} %) were due while the hypervisor gave nothing to others`;
  return calm.answered < calmAnswersMin
    ? `${share}: fewer than ${calmAnswersMin}, so all are judged.`
    : `${share}: their p99 is ${calm.p99Ms.toFixed(1)} ms, and is judged.`;
}

function rowOf(
  { name, due, answered, p50Ms, p90Ms, p99Ms, p999Ms, maxMs }: LoadResult,
  minutes: number,
): string[] {
  const times = [p50Ms, p90Ms, p99Ms, p999Ms, maxMs].map(ms => ms.toFixed(1));
  return [name, (due / (60 * minutes)).toFixed(1), ...times, String(due - answered)];
}

function serviceRow(watch: ServiceWatch): string[] {
  const { firstMiB, lastMiB, slopeMiBPerMinute, eventLoopP99Ms, eventLoopMaxMs } = watch;
  return [
    watch.name,
    firstMiB.toFixed(0),
    lastMiB.toFixed(0),
    slopeMiBPerMinute.toFixed(2),
    eventLoopP99Ms.toFixed(1),
    eventLoopMaxMs.toFixed(0),
  ];
}
