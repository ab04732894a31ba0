import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../project-root.ts';
import { runProgram } from '../provided-folder.ts';

/** The packages that customers install, by the name of their tarball. */
const published = { sdk: 'packages/sdk-typescript', cli: 'packages/cli' };

/** Generates and compiles the client or the command line, and returns the path of its tarball in the given folder. */
export function packForNpm(name: keyof typeof published, into: string): string {
  runProgram('pnpm', ['pack', '--pack-destination', into], { cwd: join(projectRoot, published[name]) });
  const tarball = readdirSync(into).find(
    each => each.endsWith('.tgz') && each.startsWith(`mailproof-${name}`),
  );
  if (tarball === undefined) throw new Error('No tarball was packed.');
  return join(into, tarball);
}
