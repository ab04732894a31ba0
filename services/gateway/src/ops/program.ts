import { exitCodeOf } from '@mailproof/service-kit';
import { Command } from 'commander';
import { composeOperator } from '../compose/operator.ts';
import { loadOperatorConfig } from '../config.ts';
import { addAccountCommands } from './account-commands.ts';
import { addBillingCommands } from './billing-commands.ts';
import type { WithOperator } from './command-parts.ts';
import { addDeletionCommands } from './deletion-commands.ts';
import { addKeyCommands } from './key-commands.ts';

/** Carries out one command and answers the exit code; what is wrong is said on standard error in a sentence. */
export function runCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  return exitCodeOf(() => createProgram(environment).parseAsync(args, { from: 'user' }));
}

/** The operator's commands, a file for each group. */
function createProgram(environment: NodeJS.ProcessEnv): Command {
  const program = new Command('ops').description('Operate the accounts of a Mailproof installation.');
  // Ahead of the commands, which take it over: whoever starts a command decides when the process ends.
  program.exitOverride();
  program.addHelpText(
    'after',
    '\nOn what is never probed: pnpm ops do-not-probe --help\nOn the credit ledger: pnpm ops ledger --help\nOn the keys of assistants’ tokens: pnpm ops signing-keys --help\nOn profiles: pnpm ops import --help, synthesize --help, subjects --help, suppressions --help, lookalikes --help',
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
