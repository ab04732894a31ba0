import { Command } from 'commander';
import { composeOperator } from '../compose.ts';
import { loadOperatorConfig } from '../config.ts';
import { addAccountCommands } from './account-commands.ts';
import type { WithAccounts } from './command-parts.ts';
import { addKeyCommands } from './key-commands.ts';

/** The operator's commands, a file for each group. */
export function createProgram(environment: NodeJS.ProcessEnv): Command {
  const program = new Command('ops').description('Operate the accounts of a Mailproof installation.');
  program.addHelpText('after', '\nOn what is never probed: pnpm ops do-not-probe --help');
  const withAccounts: WithAccounts = async work => {
    const operator = composeOperator(loadOperatorConfig(environment));
    try {
      await work(operator.accounts);
    } finally {
      await operator.close();
    }
  };
  addAccountCommands(program, withAccounts);
  addKeyCommands(program, withAccounts);
  return program;
}
