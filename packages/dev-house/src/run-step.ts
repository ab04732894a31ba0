import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { within } from './deadline.ts';
import type { Keeper } from './hire-keeper.ts';
import { gentleStop, stopProcess } from './processes.ts';
import { projectRoot } from './project-root.ts';
import type { TestStep } from './test-steps.ts';

export interface StepOutcome {
  readonly exitCode: number;
  /** What it printed, without colours. */
  readonly output: string;
}

const outputCharsMax = 200_000;

/**
 * Runs a step in a process group of its own, so that everything that it starts can be stopped with it. The
 * keeper watches the group in case this process is killed.
 *
 * @param isShown whether its output appears while it runs; otherwise the caller prints it afterwards
 */
export async function runStep(
  step: TestStep,
  keeper: Keeper,
  cancelled: AbortSignal,
  isShown = true,
): Promise<StepOutcome> {
  const [program = '', ...args] = step.command;
  const child = spawn(program, args, {
    cwd: projectRoot,
    detached: true,
    env: {
      ...process.env,
      TURBO_TELEMETRY_DISABLED: '1',
      DO_NOT_TRACK: '1',
      ...colours(),
      ...step.environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const group = child.pid ? -child.pid : undefined;
  if (group) keeper.watch(group);
  const output = collect(child, isShown);
  const cancel = (): void => void (group && stopProcess(group, gentleStop));
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
      await stopProcess(group, gentleStop);
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
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what colours begin with.
  return () => output.replaceAll(/\u001b\[[0-9;]*m/g, '');
}

/** The steps write into a pipe; whether colours are wanted depends on where it ends. */
function colours(): Record<string, string> {
  return process.stdout.isTTY && !process.env['NO_COLOR'] ? { FORCE_COLOR: '1' } : {};
}
