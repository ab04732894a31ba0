import { exitCodeOf } from '@mailproof/service-kit/operator-command';
import { Command } from 'commander';
import { composeOperator } from '../compose/operator.ts';
import { loadOperatorConfig } from '../config.ts';
import type { CommandContext } from './command-context.ts';
import { addImportCommands } from './import-command.ts';
import { addLookalikeCommands } from './lookalike-commands.ts';
import { addPeopleIndexCommands } from './people-index-commands.ts';
import { addPrivacyCommands } from './privacy-commands.ts';
import { addSynthesizeCommands } from './synthesize-command.ts';

/** Runs one command and returns the exit code; errors are written to standard error as a sentence. */
export async function runCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  process.on('SIGINT', stop).on('SIGTERM', stop);
  let exitCode = 0;
  const context: CommandContext = {
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
  const failure = await exitCodeOf(() => createProgram(context).parseAsync(args, { from: 'user' }));
  process.off('SIGINT', stop).off('SIGTERM', stop);
  return failure || exitCode;
}

function createProgram(context: CommandContext): Command {
  const program = new Command('ops').description('Manage the profile store of a Mailproof installation.');
  program.exitOverride();
  addImportCommands(program, context);
  addSynthesizeCommands(program, context);
  addPrivacyCommands(program, context);
  addLookalikeCommands(program, context);
  addPeopleIndexCommands(program, context);
  return program;
}
