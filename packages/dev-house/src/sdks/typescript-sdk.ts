import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../project-root.ts';
import { runProgram } from '../provided-folder.ts';

/** Generates and compiles the client, and returns the path of its tarball in the given folder. */
export function packTypescriptSdk(into: string): string {
  runProgram('pnpm', ['pack', '--pack-destination', into], {
    cwd: join(projectRoot, 'packages/sdk-typescript'),
  });
  const tarball = readdirSync(into).find(name => name.endsWith('.tgz') && name.startsWith('mailproof-sdk'));
  if (tarball === undefined) throw new Error('No tarball was packed.');
  return join(into, tarball);
}
