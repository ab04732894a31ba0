import type { ServiceCosts } from '@mailproof/dev-house/bench';
import type { JobMeasurement } from './measure-job.ts';
import { type BenchOptions, memoryMiBMax } from './options.ts';

export interface Report {
  readonly job: JobMeasurement;
  /** The costs of each service after the job and its export. */
  readonly services: readonly ServiceCosts[];
  readonly redisMiB: number;
  readonly sample?: {
    readonly singleSeconds: number;
    readonly addresses: number;
    readonly job: JobMeasurement;
  };
}

/** Prints the measurements and returns the exit code. */
export function reported(options: BenchOptions, report: Report): number {
  const { job, services, sample } = report;
  const faults = [...job.faults, ...(sample?.job.faults ?? [])];
  const isKept = faults.length === 0 && services.every(({ peakMiB }) => peakMiB <= memoryMiBMax);
  const text = options.json
    ? JSON.stringify({ options, ...report, faults, memoryMiBMax, isKept })
    : linesOf(report, faults, isKept).join('\n');
  process.stdout.write(`${text}\n`);
  return isKept || !options.check ? 0 : 1;
}

function linesOf(
  { job, services, redisMiB, sample }: Report,
  faults: readonly string[],
  isKept: boolean,
): string[] {
  return [
    `received   ${paceOf(job.rows, job.intakeSeconds, 'rows')}`,
    `validated  ${paceOf(job.addresses, job.jobSeconds, 'addresses')}`,
    `first file ${job.firstFile.rows} rows, ${job.firstFile.seconds.toFixed(1)} s after the start`,
    `exported   ${paceOf(job.rows, job.exportSeconds, 'rows')}`,
    ...(sample
      ? [
          `one by one ${paceOf(sample.addresses, sample.singleSeconds, 'addresses')}`,
          `as a job   ${paceOf(sample.addresses, sample.job.jobSeconds, 'addresses')}; ${(sample.singleSeconds / sample.job.jobSeconds).toFixed(2)} times the pace`,
        ]
      : []),
    ...services.map(
      ({ name, peakMiB, nowMiB, cpuSeconds }) =>
        `${name.padEnd(20)}peak ${peakMiB.toFixed(0)} MiB, at the end ${nowMiB.toFixed(0)} MiB; ${cpuSeconds.toFixed(0)} s of a processor`,
    ),
    `${'Redis'.padEnd(20)}peak ${redisMiB} MiB`,
    ...faults.map(fault => `WRONG: ${fault}`),
    `${isKept ? 'kept' : 'MISSED'}: every row as it should be, and at most ${memoryMiBMax} MiB for each service`,
  ];
}

function paceOf(count: number, seconds: number, what: string): string {
  return `${count} ${what} in ${seconds.toFixed(1)} s, ${(count / seconds).toFixed(0)}/s`;
}
