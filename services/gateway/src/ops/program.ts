import { Command } from 'commander';
import { composeOperator } from '../compose/operator.ts';
import { loadOperatorConfig } from '../config.ts';
import { addAccountCommands } from './account-commands.ts';
import { addBillingCommands } from './billing-commands.ts';
import type { WithOperator } from './command-parts.ts';
import { addDeletionCommands } from './deletion-commands.ts';
import { addKeyCommands } from './key-commands.ts';

/** The operator's commands, a file for each group. */
export function createProgram(environment: NodeJS.ProcessEnv): Command {
  const program = new Command('ops').description('Operate the accounts of a Mailproof installation.');
  program.addHelpText(
    'after',
    '\nOn what is never probed: pnpm ops do-not-probe --help\nOn the credit ledger: pnpm ops ledger --help',
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
