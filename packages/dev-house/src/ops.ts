import { once } from 'node:events';
import { join } from 'node:path';
import { stateDirectory } from './project-root.ts';
import { serviceOfCommand, spawnOperatorCommand } from './run-operator-command.ts';
import { environmentFile, readJsonIfPresent } from './state-files.ts';

process.exitCode = await main(process.argv.slice(2));

/** Runs an operator's command on the database in the environment, or else that of the last `npm start`. */
async function main(args: readonly string[]): Promise<number> {
  const service = serviceOfCommand(args);
  const environment = environmentOf(service);
  if (!environment) {
    console.error(
      `This command requires the database of the ${service}: run \`npm start\` first, or set DATABASE_URL to it.`,
    );
    return 1;
  }
  const child = spawnOperatorCommand(args, environment, 'inherit');
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}

function environmentOf(service: string): NodeJS.ProcessEnv | undefined {
  if (process.env['DATABASE_URL']) return process.env;
  const file = join(stateDirectory(), environmentFile(service));
  const kept = readJsonIfPresent<Record<string, string>>(file);
  return kept ? { ...kept, ...process.env } : undefined;
}
