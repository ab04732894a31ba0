import { type AccountId, accountId } from '@mailproof/shared-types';
import { Command, InvalidArgumentError } from 'commander';
import { composeOperator } from '../compose/auditing.ts';
import { loadOperatorConfig } from '../config.ts';
import { isClean } from '../domain/audit/audit.ts';
import { auditTable } from './audit-table.ts';

/** The operator's commands on the ledger; what is made answers the exit code: 1 where the ledger contradicts itself. */
export function createProgram(
  environment: NodeJS.ProcessEnv,
  say: (text: string) => void = text => void process.stdout.write(`${text}\n`),
): (args: readonly string[]) => Promise<number> {
  let exitCode = 0;
  const program = new Command('ops').description('Operate the credit ledger of a Mailproof installation.');
  program
    .command('ledger')
    .description('The credit ledger.')
    .command('audit')
    .description('Look for contradictions in the ledger; the exit code is 1 where there is one.')
    .option('--account <account-id>', 'this account alone', account)
    .option('--json', 'answer in JSON')
    .action(async (options: { account?: AccountId; json?: true }) => {
      const operator = composeOperator(loadOperatorConfig(environment));
      try {
        const report = await operator.audit(options.account && [options.account]);
        say(options.json ? JSON.stringify(report) : auditTable(report));
        exitCode = isClean(report) ? 0 : 1;
      } finally {
        await operator.close();
      }
    });
  return async args => {
    await program.parseAsync(args);
    return exitCode;
  };
}

function account(text: string): AccountId {
  const parsed = accountId.safeParse(text);
  if (!parsed.success) {
    throw new InvalidArgumentError('That is not the id of an account.');
  }
  return parsed.data;
}
