export { type BareProcess, serveBare, startBareProcess } from './bare-process.ts';
export { type BenchOutput, benchCommand } from './bench-command.ts';
export { type BenchDatabase, startBenchDatabase } from './bench-database.ts';
export { withBenchHouse } from './bench-house.ts';
export { median, quantile } from './figures.ts';
export { circumstances, markdownTable } from './markdown-table.ts';
export { type Calls, measureCalls } from './measure-calls.ts';
export {
  type Comparison,
  comparisonLines,
  comparisonOf,
  measure,
  type Round,
  type Subject,
} from './measure-requests.ts';
export { costsOfProcess, costsOfServices, redisPeakMiB, type ServiceCosts } from './service-costs.ts';
export { reasonOf, untilStopped } from './until-stopped.ts';
