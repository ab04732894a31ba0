import { pathToFileURL } from 'node:url';

/** A command, the program that runs it, and its environment. */
export interface OperatorCommand {
  readonly entry: string;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

export interface OperatorAnswer {
  readonly code: number;
  readonly output: string;
  readonly complaint: string;
}

/*
 * Runs the commands that its parent sends, one after another, with the same programs that operators start. The modules
 * of a program, which take most of a command's CPU time, load only once. The process ends with its parent.
 */
let commands = 0;
process.on('message', async (command: OperatorCommand) => {
  process.send?.(await run(command));
});

async function run({ entry, args, environment }: OperatorCommand): Promise<OperatorAnswer> {
  process.argv = [process.execPath, entry, ...args];
  process.env = { ...environment };
  process.exitCode = 0;
  const output = capture(process.stdout);
  const complaint = capture(process.stderr);
  try {
    commands += 1;
    // The query makes Node evaluate the program again; its imports stay loaded.
    await import(`${pathToFileURL(entry).href}?${commands}`);
  } catch (error) {
    return { code: 1, output: output(), complaint: `${complaint()}${error}` };
  }
  return { code: Number(process.exitCode), output: output(), complaint: complaint() };
}

/** Captures everything written to a stream from now on; returns a function that returns the text. */
function capture(stream: NodeJS.WriteStream): () => string {
  const written: string[] = [];
  stream.write = (piece: string | Uint8Array, ...rest: unknown[]) => {
    written.push(typeof piece === 'string' ? piece : Buffer.from(piece).toString());
    const done = rest.find(argument => typeof argument === 'function');
    if (typeof done === 'function') done();
    return true;
  };
  return () => written.join('');
}
