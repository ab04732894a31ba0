import { exitCodeOf } from '@mailproof/service-kit/operator-command';
import { Command } from 'commander';
import { composeOperator } from '../compose/operator.ts';
import { loadOperatorConfig } from '../config.ts';
import { addAccountCommands } from './account-commands.ts';
import { addBillingCommands } from './billing-commands.ts';
import type { WithOperator } from './command-parts.ts';
import { addDeletionCommands } from './deletion-commands.ts';
import { addKeyCommands } from './key-commands.ts';
import { addPaymentCommands } from './payment-commands.ts';

/** Runs one command and returns the exit code; reports errors in one sentence on standard error. */
export function runCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  return exitCodeOf(() => createProgram(environment).parseAsync(args, { from: 'user' }));
}

/** The operator's commands, one file per group. */
function createProgram(environment: NodeJS.ProcessEnv): Command {
  const program = new Command('ops').description('Manage the accounts of a Mailproof installation.');
  // Set before the commands, which inherit it: commander then does not exit the process itself.
  program.exitOverride();
  program.addHelpText(
    'after',
    '\nDo-not-probe list: pnpm ops do-not-probe --help\nCredit ledger: pnpm ops ledger --help\nAssistants’ signing keys: pnpm ops signing-keys --help\nProfiles: pnpm ops import --help, synthesize --help, subjects --help, suppressions --help, lookalikes --help',
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
  addPaymentCommands(program, withOperator);
  return program;
}
