import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, succeeds } from './shell.ts';

/**
 * Creates a substitute for the base image if it is missing and cannot be pulled. It contains Debian's minimal system,
 * this Node and the machine's npm, and has the name from the Dockerfile, without the digest.
 *
 * @returns the image name to build with
 */
export function provideBaseImage(reference: string): string {
  const name = reference.replace(/@sha256:.*$/, '');
  for (const known of [reference, name])
    if (succeeds('buildah', 'inspect', '--type', 'image', known)) return known;
  console.log(`Making ${name} with debootstrap, as it is not here.`);
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-base-'));
  try {
    run('debootstrap', '--variant=minbase', 'bookworm', folder);
    const bin = join(folder, 'usr/local/bin');
    const modules = join(folder, 'usr/local/lib/node_modules');
    mkdirSync(modules, { recursive: true });
    cpSync(process.execPath, join(bin, 'node'), { dereference: true });
    // npm's own folder is two levels above its program. `npm root` under another Node would return that Node's folder.
    const npm = join(realpathSync(run('sh', '-c', 'command -v npm')), '../..');
    cpSync(npm, join(modules, 'npm'), { recursive: true });
    for (const program of ['npm', 'npx'])
      symlinkSync(`../lib/node_modules/npm/bin/${program}-cli.js`, join(bin, program));
    const container = run('buildah', 'from', 'scratch');
    run('buildah', 'copy', '--quiet', container, folder, '/');
    const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
    run('buildah', 'config', '--env', `PATH=${path}`, container);
    run('buildah', 'commit', '--quiet', '--rm', container, name);
    return name;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
