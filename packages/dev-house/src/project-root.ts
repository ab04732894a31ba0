import { join, resolve } from 'node:path';

/** The root of this checkout. */
export const projectRoot = resolve(import.meta.dirname, '../../..');

/** Where Node keeps what it has compiled; `scripts/bootstrap.mjs`, which an older Node reads, names the same. */
export const compileCacheDirectory = join(projectRoot, 'node_modules/.cache/node-compile');

/** Where everything that a run leaves on disk is kept. */
export function stateDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  return resolve(projectRoot, environment['MAILPROOF_STATE_DIR'] || '.mailproof');
}
