export { advanceRun, beginEnding, endingOf } from './advance-run.ts';
export { cancelRun } from './cancel-run.ts';
export { type CarryRunOptions, carryRun } from './carry-run.ts';
export { endAccountRuns } from './end-account-runs.ts';
export { holdToStart, type StartHold } from './hold-to-start.ts';
export { noteRunFault } from './note-run-fault.ts';
export {
  hasEnded,
  type PaidRun,
  type PaidRunFailure,
  type RequestKey,
  type RunChange,
  type RunEnding,
  receiptIdOf,
} from './paid-run.ts';
export type {
  Delivered,
  HoldOutcome,
  RunCredits,
  RunEvents,
  RunPorts,
  RunStore,
  RunTally,
  RunWork,
} from './run-ports.ts';
