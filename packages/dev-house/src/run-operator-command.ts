import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from './project-root.ts';

/** Starts a command of the gateway's operators with the environment of a gateway. */
export function spawnOperatorCommand(
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  stdio: StdioOptions,
): ChildProcess {
  const entry = join(projectRoot, 'services/gateway/src/ops/main.ts');
  if (!existsSync(entry))
    throw new Error(`The gateway's operator commands are missing: there is no ${entry}.`);
  return spawn(process.execPath, [entry, ...args], { cwd: projectRoot, env: environment, stdio });
}
