import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { ServiceName } from '@mailproof/installation';
import type { House } from './house.ts';
import { serviceOfCommand, spawnOperatorCommand } from './run-operator-command.ts';

/** Carries out one of the operator's commands on a house, and answers what it printed. */
export async function operate(
  { environments }: Pick<House, 'environments'>,
  args: readonly string[],
): Promise<string> {
  const service = serviceOfCommand(args) as ServiceName;
  const child = spawnOperatorCommand(args, environments[service], ['ignore', 'pipe', 'pipe']);
  const [output, complaint, [code]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    child.stderr ? text(child.stderr) : '',
    once(child, 'exit'),
  ]);
  if (code !== 0) {
    throw new Error(`The command "${args.join(' ')}" ended with ${code}:\n${complaint || output}`);
  }
  return output;
}
