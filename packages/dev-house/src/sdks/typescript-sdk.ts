import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../project-root.ts';
import { runProgram } from '../provided-folder.ts';
import { packedReadme } from './packed-readme.ts';

/** The packages that customers install, by the name of their tarball. */
const published = { sdk: 'packages/sdk-typescript', cli: 'packages/cli' };

/** Generates and compiles the client or the command line, and returns the path of its tarball in the given folder. */
export function packForNpm(name: keyof typeof published, into: string): string {
  runProgram('pnpm', ['pack', '--pack-destination', into], { cwd: join(projectRoot, published[name]) });
  const tarball = readdirSync(into).find(
    each => each.endsWith('.tgz') && each.startsWith(`mailproof-${name}`),
  );
  if (tarball === undefined) throw new Error('No tarball was packed.');
  replaceReadme(join(into, tarball), packedReadme(published[name]));
  return join(into, tarball);
}

/** pnpm packs the README of the checkout, so the tarball is packed a second time. */
function replaceReadme(tarball: string, readme: string): void {
  const scratch = mkdtempSync(join(tmpdir(), 'mailproof-pack-'));
  try {
    runProgram('tar', ['-xzf', tarball, '-C', scratch]);
    writeFileSync(join(scratch, 'package/README.md'), readme);
    runProgram('tar', ['-czf', tarball, '-C', scratch, 'package']);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
