import { type AccountId, accountId } from '@mailproof/shared-types';
import { Command, InvalidArgumentError } from 'commander';
import { composeOperator } from '../compose/auditing.ts';
import { loadOperatorConfig } from '../config.ts';
import { type AuditReport, isClean } from '../domain/audit/audit.ts';

/**
 * The operator's commands on the ledger. The returned function resolves to the exit code: 1 if the ledger is
 * inconsistent.
 */
export function createProgram(
  environment: NodeJS.ProcessEnv,
  say: (text: string) => void = text => void process.stdout.write(`${text}\n`),
): (args: readonly string[]) => Promise<number> {
  let exitCode = 0;
  const program = new Command('ops').description('Manage the credit ledger of a Mailproof installation.');
  program
    .command('ledger')
    .description('Check the credit ledger.')
    .command('audit')
    .description('Check the ledger for contradictions; the exit code is 1 if there are any.')
    .option('--account <account-id>', 'check only this account', account)
    .option('--json', 'print JSON')
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
    throw new InvalidArgumentError('Not a valid account id.');
  }
  return parsed.data;
}

/** An audit as text: what was examined, and each fault with its account. */
function auditTable({ accounts, faults, faultsTotal, unexamined }: AuditReport): string {
  const lines = [`Accounts examined: ${accounts}. Faults: ${faultsTotal === 0 ? 'none' : faultsTotal}.`];
  const rows = [
    ...faults.map(({ invariant, accountId, subject }) => [invariant, accountId, subject]),
    ...unexamined.map(accountId => ['took too long, not examined', accountId, '']),
  ];
  if (rows.length > 0) {
    lines.push('', ...aligned([['invariant', 'account', 'seen at'], ...rows]));
  }
  if (faultsTotal > faults.length) {
    lines.push(`and ${faultsTotal - faults.length} more`);
  }
  return lines.join('\n');
}

function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1, 2].map(column => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  return rows.map(row =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
