import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { compileCacheDirectory, projectRoot } from './project-root.ts';

/** The service that runs each operator command; the gateway runs all others. */
const services: Readonly<Record<string, string>> = {
  'do-not-probe': 'validation-engine',
  import: 'enrichment',
  ledger: 'credit-ledger',
  lookalikes: 'enrichment',
  'people-index': 'enrichment',
  'signing-keys': 'mcp-server',
  subjects: 'enrichment',
  suppressions: 'enrichment',
  synthesize: 'enrichment',
};

/** Returns the service that runs an operator command, by its first word. */
export function serviceOfCommand(args: readonly string[]): string {
  return services[args[0] ?? ''] ?? 'gateway';
}

/** Returns the path of a service's program for operator commands. */
export function operatorProgram(service: string): string {
  const entry = join(projectRoot, 'services', service, 'src/ops/main.ts');
  if (!existsSync(entry)) throw new Error(`The operator commands are missing: ${entry} does not exist.`);
  return entry;
}

/** Starts an operator command with the given environment of the service that runs it. The cache halves its CPU time. */
export function spawnOperatorCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  stdio: StdioOptions,
): ChildProcess {
  const entry = operatorProgram(serviceOfCommand(args));
  const env = { NODE_COMPILE_CACHE: compileCacheDirectory, ...environment };
  return spawn(process.execPath, [entry, ...args], { cwd: projectRoot, env, stdio });
}
