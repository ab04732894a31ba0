import { exitCodeOf } from '@mailproof/service-kit';
import { Command } from 'commander';
import { composeOperator, type Operator } from '../compose/operator.ts';
import { loadOperatorConfig } from '../config.ts';
import { addImportCommands } from './import-command.ts';
import { addLookalikeCommands } from './lookalike-commands.ts';
import { addPrivacyCommands } from './privacy-commands.ts';
import { addSynthesizeCommands } from './synthesize-command.ts';

/** What a command is carried out with. */
export interface CommandRoom {
  withOperator<Result>(work: (operator: Operator) => Promise<Result>): Promise<Result>;
  /** Where the command was typed; files are named from there. */
  readonly directory: string;
  /** Aborted when somebody stops the command. */
  readonly signal: AbortSignal;
  /** Sets the exit code of a command that did not fail, but did not do all either. */
  setExitCode(code: number): void;
}

/** Carries out one command and answers the exit code; what is wrong is said on standard error in a sentence. */
export async function runCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.on('SIGINT', stop).on('SIGTERM', stop);
  let exitCode = 0;
  const room: CommandRoom = {
    async withOperator(work) {
      const operator = composeOperator(loadOperatorConfig(environment));
      try {
        return await work(operator);
      } finally {
        await operator.close();
      }
    },
    directory: environment['INIT_CWD'] ?? process.cwd(),
    signal: stopping.signal,
    setExitCode(code) {
      exitCode = code;
    },
  };
  const failure = await exitCodeOf(() => createProgram(room).parseAsync(args, { from: 'user' }));
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return failure || exitCode;
}

function createProgram(room: CommandRoom): Command {
  const program = new Command('ops').description('Operate the profile store of a Mailproof installation.');
  program.exitOverride();
  addImportCommands(program, room);
  addSynthesizeCommands(program, room);
  addPrivacyCommands(program, room);
  addLookalikeCommands(program, room);
  return program;
}
