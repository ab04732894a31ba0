import { ConfigError } from '@mailproof/service-kit';
import { Command, CommanderError } from 'commander';
import { composeOperator } from '../compose/operator.ts';
import { loadOperatorConfig } from '../config.ts';
import { addAccountCommands } from './account-commands.ts';
import { addBillingCommands } from './billing-commands.ts';
import { OperatorError, type WithOperator } from './command-parts.ts';
import { addDeletionCommands } from './deletion-commands.ts';
import { addKeyCommands } from './key-commands.ts';

/** Carries out one command and answers the exit code; what is wrong is said on standard error in a sentence. */
export async function runCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  try {
    await createProgram(environment).parseAsync(args, { from: 'user' });
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

/** The operator's commands, a file for each group. */
function createProgram(environment: NodeJS.ProcessEnv): Command {
  const program = new Command('ops').description('Operate the accounts of a Mailproof installation.');
  // Ahead of the commands, which take it over: whoever starts a command decides when the process ends.
  program.exitOverride();
  program.addHelpText(
    'after',
    '\nOn what is never probed: pnpm ops do-not-probe --help\nOn the credit ledger: pnpm ops ledger --help\nOn the keys of assistants’ tokens: pnpm ops signing-keys --help',
  );
  const withOperator: WithOperator = async work => {
    const operator = composeOperator(loadOperatorConfig(environment));
    try {
      await work(operator);
    } finally {
      await operator.close();
    }
  };
  const account = addAccountCommands(program, withOperator);
  addBillingCommands(account, withOperator);
  addDeletionCommands(account, withOperator);
  addKeyCommands(program, withOperator);
  return program;
}
