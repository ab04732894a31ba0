import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const commandDeadlineMs = 900_000;

/** Runs a command to its end and returns its output. The error of a failure has the end of what it wrote. */
export async function output(
  [program = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  { input = '', cwd, deadlineMs = commandDeadlineMs }: OutputOptions = {},
): Promise<string> {
  const child = spawn(program, args, {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: deadlineMs,
    ...(cwd !== undefined && { cwd }),
  });
  child.stdin.on('error', () => {}).end(input);
  const [said, complained, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  if (code === 0) return said;
  throw new Error(
    `${[program.split('/').at(-1), ...args.slice(0, 4)].join(' ')} ended with ${code}: ${`${said}${complained}`.slice(-2_000)}`,
  );
}

export interface OutputOptions {
  /** The standard input; empty if omitted. */
  readonly input?: string;
  readonly cwd?: string;
  /** The command is ended after this time; 15 minutes if omitted. */
  readonly deadlineMs?: number;
}
