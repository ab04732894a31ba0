import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { within } from './deadline.ts';
import { gracefulStop, stopProcess } from './processes.ts';
import { projectRoot } from './project-root.ts';
import type { Keeper } from './start-keeper.ts';
import type { TestStep } from './test-steps.ts';

export interface StepOutcome {
  readonly exitCode: number;
  /** The step's output, without color codes. */
  readonly output: string;
}

const outputCharsMax = 200_000;

/**
 * Runs a step in its own process group, so that everything that it starts can be stopped with it. The keeper watches
 * the group in case this process is killed. A check gets the CPU time that tests leave, because tests have deadlines.
 *
 * @param options.isShown whether it prints its output while it runs
 */
export async function runStep(
  step: TestStep,
  keeper: Keeper,
  cancelled: AbortSignal,
  { isShown = true } = {},
): Promise<StepOutcome> {
  const [program = '', ...args] = step.command;
  const child = spawn(program, args, {
    cwd: projectRoot,
    detached: true,
    env: {
      ...process.env,
      TURBO_TELEMETRY_DISABLED: '1',
      DO_NOT_TRACK: '1',
      ...colors(),
      ...step.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const group = child.pid ? -child.pid : undefined;
  if (group) keeper.watch(group);
  if (!isShown && !step.reportFile && child.pid) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  const output = collect(child, isShown);
  const cancel = (): void => void (group && stopProcess(group, gracefulStop));
  cancelled.addEventListener('abort', cancel, { once: true });
  try {
    const [code] = (await within(`The step ${step.name}`, once(child, 'close'), step.deadlineMs)) as [
      number | null,
    ];
    return { exitCode: code ?? 1, output: output() };
  } catch (error) {
    console.error((error as Error).message);
    return { exitCode: 1, output: output() };
  } finally {
    cancelled.removeEventListener('abort', cancel);
    if (group) {
      await stopProcess(group, gracefulStop);
      keeper.unwatch(group);
    }
  }
}

function collect(child: ChildProcess, isShown: boolean): () => string {
  let output = '';
  for (const [from, to] of [
    [child.stdout, process.stdout],
    [child.stderr, process.stderr],
  ] as const) {
    from?.on('data', (chunk: Buffer) => {
      if (isShown) to.write(chunk);
      output = (output + chunk.toString('utf8')).slice(-outputCharsMax);
    });
  }
  // biome-ignore lint/suspicious/noControlCharactersInRegex: color codes start with the escape character.
  return () => output.replaceAll(/\u001b\[[0-9;]*m/g, '');
}

/** The steps write into a pipe, but whether to use color depends on this process's output. */
function colors(): Record<string, string> {
  return process.stdout.isTTY && !process.env['NO_COLOR'] ? { FORCE_COLOR: '1' } : {};
}
