import { CommanderError } from 'commander';
import { ConfigError } from './config.ts';

/** An operator's command that cannot be carried out, in a sentence. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/** Carries out a command and answers the exit code; what is wrong is said on standard error in a sentence. */
export async function exitCodeOf(command: () => Promise<unknown>): Promise<number> {
  try {
    await command();
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) {
      // It has said so itself; asking for help is one too, with the code 0.
      return error.exitCode;
    }
    const expected = error instanceof ConfigError || error instanceof OperatorError;
    const said = expected ? error.message : error instanceof Error ? error.stack : String(error);
    process.stderr.write(`${said}\n`);
    return 1;
  }
}
