import { jest } from '@jest/globals';
import { runCommand } from '../src/ops/program.ts';

/** The result of a command. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly complaint: string;
}

/** Runs an operator command in this process, which saves the second that starting the program takes. */
export async function runInProcess(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<Ran> {
  const [out, complaint] = [process.stdout, process.stderr].map(stream =>
    jest.spyOn(stream, 'write').mockReturnValue(true),
  );
  try {
    const code = await runCommand(args, environment);
    return { code, out: textOf(out), complaint: textOf(complaint) };
  } finally {
    out?.mockRestore();
    complaint?.mockRestore();
  }
}

function textOf(written: { readonly mock: { readonly calls: readonly unknown[][] } } | undefined): string {
  return (written?.mock.calls ?? []).map(([text]) => String(text)).join('');
}
