import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';

const require = createRequire(import.meta.url);
const deadlineMs = 120_000;

export interface Ended {
  readonly exitCode: number | null;
  readonly output: string;
  readonly complaint: string;
}

/** Returns the file of a program in an installed package. */
export function programOf(packageName: string, file: string): string {
  return join(dirname(require.resolve(`${packageName}/package.json`)), file);
}

/** Runs a Node program to completion; it is stopped after two minutes. */
export async function runProgram(
  file: string,
  args: readonly string[],
  {
    cwd,
    env = {},
    onOutput,
  }: { cwd?: string; env?: Record<string, string>; onOutput?: (text: string) => void } = {},
): Promise<Ended> {
  const child = spawn(process.execPath, [file, ...args], {
    ...(cwd && { cwd }),
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: deadlineMs,
    killSignal: 'SIGKILL',
  });
  if (onOutput) child.stdout.on('data', chunk => onOutput(String(chunk)));
  const [output, complaint, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  return { exitCode, output, complaint };
}
