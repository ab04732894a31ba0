import { resolve } from 'node:path';

/** The root of this checkout. */
export const projectRoot = resolve(import.meta.dirname, '../../..');

/** Where everything that a run leaves on disk is kept. */
export function stateDirectory(environment: NodeJS.ProcessEnv = process.env): string {
  return resolve(projectRoot, environment['MAILPROOF_STATE_DIR'] || '.mailproof');
}
