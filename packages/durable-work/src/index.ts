export { advanceRun, beginEnding, endingOf } from './advance-run.ts';
export { cancelRun, endAccountRuns } from './cancel-run.ts';
export { type DriveRunOptions, driveRun, holdToStart, noteRunFault, type StartHold } from './drive-run.ts';
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
  HoldOutcome,
  RunCredits,
  RunEvents,
  RunPorts,
  RunStore,
  RunTally,
  RunWork,
} from './run-ports.ts';
export { withSandboxCredits } from './sandbox-credits.ts';
export {
  type Advance,
  type CreatedWork,
  idOfKey,
  judgeFault,
  type NextJob,
  type StepOptions,
  takeOver,
  takeSteps,
  untilChanged,
  type Work,
  type WorkStore,
} from './work.ts';
