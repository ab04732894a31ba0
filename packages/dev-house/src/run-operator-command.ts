import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './project-root.ts';

/** Which service carries out an operator's command; what is not named here is the gateway's. */
const services: Readonly<Record<string, string>> = {
  'do-not-probe': 'validation-engine',
  import: 'enrichment',
  ledger: 'credit-ledger',
  lookalikes: 'enrichment',
  'signing-keys': 'mcp-server',
  subjects: 'enrichment',
  suppressions: 'enrichment',
  synthesize: 'enrichment',
};

/** The service that an operator's command is for, by its first word. */
export function serviceOfCommand(args: readonly string[]): string {
  return services[args[0] ?? ''] ?? 'gateway';
}

/** Starts an operator's command with the environment of the service that carries it out. */
export function spawnOperatorCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  stdio: StdioOptions,
): ChildProcess {
  const entry = join(projectRoot, 'services', serviceOfCommand(args), 'src/ops/main.ts');
  if (!existsSync(entry)) throw new Error(`The operator's commands are missing: there is no ${entry}.`);
  return spawn(process.execPath, [entry, ...args], { cwd: projectRoot, env: environment, stdio });
}
