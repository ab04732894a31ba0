/** A trial of an installation. */
export interface Trial<Context> {
  readonly name: string;
  readonly about: string;
  /**
   * Resolves with its figures.
   *
   * @throws Error when the trial fails
   */
  readonly run: (context: Context) => Promise<string>;
}

export interface Outcome {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly figures: string;
}

/** Runs trials in order; a trial that fails does not keep the others from running. */
export async function runTrials<Context>(
  trials: readonly Trial<Context>[],
  context: Context,
  only: readonly string[] | undefined,
  report: (line: string) => void,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { name, run } of trials.filter(trial => only === undefined || only.includes(trial.name))) {
    const startedAt = Date.now();
    const [passed, figures] = await run(context).then(
      said => [true, said] as const,
      (error: Error) => [false, error.message] as const,
    );
    const seconds = Math.round((Date.now() - startedAt) / 1_000);
    report(`${passed ? 'passed' : 'FAILED'}: ${name}: ${figures}`);
    outcomes.push({ name, passed, seconds, figures });
  }
  return outcomes;
}

/** Prints a table of the trials and returns the exit code. */
export function printOutcomes(outcomes: readonly Outcome[]): number {
  console.log('');
  for (const { name, passed, seconds, figures } of outcomes)
    console.log(
      `${passed ? 'passed' : 'FAILED'}  ${name.padEnd(12)}${String(seconds).padStart(5)} s  ${figures}`,
    );
  const failed = outcomes.filter(({ passed }) => !passed).length;
  console.log(`\n${outcomes.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Prints lines with the seconds since a moment, in Unix milliseconds. */
export function reportSince(startedAt: number): (line: string) => void {
  return line => console.log(`${((Date.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s  ${line}`);
}
