import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runQuietly } from './run-quietly.mjs';
import { installationFiles, isStamped, workspaceFolders, writeStamp } from './stamp.mjs';

const installTimeoutMs = 20 * 60_000;
const generateTimeoutMs = 5 * 60_000;

/** Installs the packages and generates the database clients, each only when something has changed since. */
export async function prepareCheckout(root, environment) {
  await install(root, environment);
  await generate(root, environment);
}

async function install(root, environment) {
  const files = installationFiles(root);
  if (isStamped(root, 'installed', files) && existsSync(join(root, 'node_modules/.bin/node'))) return;
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  await runQuietly('Installing packages', 'npx', ['--yes', packageManager, 'install', '--frozen-lockfile'], {
    cwd: root,
    // Without it, pnpm asks before it replaces a folder, and nobody would see the question.
    env: { ...environment, CI: 'true' },
    timeoutMs: installTimeoutMs,
  });
  writeStamp(root, 'installed', files);
}

async function generate(root, environment) {
  const services = workspaceFolders(root).filter(folder =>
    existsSync(join(root, folder, 'prisma/schema.prisma')),
  );
  const isThere = services.every(folder => existsSync(join(root, folder, 'src/adapters/postgres/generated')));
  const files = services.flatMap(folder => [`${folder}/prisma/schema.prisma`, `${folder}/package.json`]);
  if (services.length === 0 || (isThere && isStamped(root, 'generated', files))) return;
  const turbo = join(root, 'node_modules/.bin/turbo');
  await runQuietly('Generating database clients', turbo, ['run', 'generate', '--output-logs=errors-only'], {
    cwd: root,
    env: environment,
    timeoutMs: generateTimeoutMs,
  });
  writeStamp(root, 'generated', files);
}
