import { type Advance, advanceRun } from './advance-run.ts';
import { noteRunFault } from './note-run-fault.ts';
import type { PaidRun } from './paid-run.ts';
import type { RunPorts } from './run-ports.ts';

export interface CarryRunOptions<Run extends PaidRun, Transaction> {
  readonly ports: RunPorts<Run, Transaction>;
  /** Gives a step its turn, where runs wait for each other. */
  readonly inTurn?: <Result>(run: Run, step: () => Promise<Result>) => Promise<Result>;
  /** Whether an error says that something is away, rather than wrong. */
  readonly isAway: (error: unknown) => boolean;
  /** Aborted when the service stops: a run then waits for another process between two of its steps. */
  readonly stopping: AbortSignal;
}

/** Takes a run on, step by step, until it has ended or rests. What goes wrong is noted and thrown, to be tried again. */
export async function carryRun<Run extends PaidRun, Transaction>(
  { ports, inTurn = (_run, step) => step(), isAway, stopping }: CarryRunOptions<Run, Transaction>,
  runId: Run['runId'],
): Promise<Exclude<Advance, 'more'>> {
  const run = await ports.runs.find(runId);
  if (!run) {
    return 'ended';
  }
  for (;;) {
    if (stopping.aborted) {
      throw new Error('The service is stopping; the run goes on elsewhere.');
    }
    try {
      const advance = await inTurn(run, () => advanceRun(ports, runId));
      if (advance !== 'more') {
        return advance;
      }
    } catch (error) {
      await noteRunFault(ports, runId, isAway(error));
      throw error;
    }
  }
}
