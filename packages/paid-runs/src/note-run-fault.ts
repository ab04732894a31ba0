import { beginEnding } from './advance-run.ts';
import { hasEnded, type PaidRun } from './paid-run.ts';
import type { RunPorts } from './run-ports.ts';

/** So often may delivering go wrong, in a row, for reasons of our own. */
const failedAttemptsMax = 5;
/** A run that has not moved for so long, because something that it needs is away, is given up, in milliseconds. */
const standsStillMsMax = 86_400_000;

/**
 * Writes down that advancing a run went wrong, and lets it end when that has happened too often. What is merely away
 * does not count as wrong: it is waited for, a day long. A run that is ending already goes on trying to settle.
 */
export async function noteRunFault<Run extends PaidRun, Transaction>(
  ports: RunPorts<Run, Transaction>,
  runId: Run['runId'],
  isAway: boolean,
): Promise<void> {
  const run = await ports.runs.find(runId);
  if (!run || hasEnded(run) || run.ending !== null) {
    return;
  }
  if (isAway) {
    if (ports.now().getTime() - run.movedAt.getTime() > standsStillMsMax) {
      await beginEnding(ports, run, 'failed', 'timed_out');
    }
    return;
  }
  if (run.failedAttempts + 1 >= failedAttemptsMax) {
    await beginEnding(ports, run, 'failed', 'could_not_continue');
  } else {
    await ports.runs.change(run, { failedAttempts: run.failedAttempts + 1 });
  }
}
