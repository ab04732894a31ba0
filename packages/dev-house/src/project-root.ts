import { join, resolve } from 'node:path';

/** The root of this checkout. */
export const projectRoot = resolve(import.meta.dirname, '../../..');

/** Node's compile cache. `scripts/bootstrap.mjs`, which must run on an older Node, names the same folder. */
export const compileCacheDirectory = join(projectRoot, 'node_modules/.cache/node-compile');

/** Returns the folder for everything that a run writes to disk. */
export function stateDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  return resolve(projectRoot, environment['MAILPROOF_STATE_DIR'] || '.mailproof');
}
