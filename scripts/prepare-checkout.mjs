import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { runQuietly } from './run-quietly.mjs';
import { installationFiles, isStamped, workspaceFolders, writeStamp } from './stamp.mjs';

const installTimeoutMs = 20 * 60_000;
const generateTimeoutMs = 5 * 60_000;
const buildTimeoutMs = 5 * 60_000;
const backgroundNiceness = 10;

/**
 * Installs the packages, generates the database clients and the types of the SDK, and builds the web application and the
 * documentation, each only if something has changed since the last time.
 *
 * @returns the build of the documentation, which a start need not wait for (ADR 0078)
 */
export async function prepareCheckout(root, environment) {
  await install(root, environment);
  await generate(root, environment);
  const documentation = buildDocumentation(root, environment);
  // The caller waits for it, and hears of its failure.
  documentation.catch(() => undefined);
  await build(root, environment);
  return { documentation };
}

async function install(root, environment) {
  const files = installationFiles(root);
  if (isStamped(root, 'installed', files) && existsSync(join(root, 'node_modules/.bin/node'))) return;
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  await runQuietly('Installing packages', 'npx', ['--yes', packageManager, 'install', '--frozen-lockfile'], {
    cwd: root,
    // Otherwise pnpm asks before it replaces a folder, and the question would not be visible.
    env: { ...environment, CI: 'true' },
    timeoutMs: installTimeoutMs,
  }).catch(error => {
    throw new Error(`${error.message}${homeAdvice(environment.HOME ?? homedir())}`);
  });
  writeStamp(root, 'installed', files);
}

/** Returns advice for a home folder that is not writable, which npm does not report. */
function homeAdvice(home) {
  try {
    accessSync(home, constants.W_OK);
    return '';
  } catch {
    return `\nnpm and pnpm keep their caches below ${home}, which you cannot write: set HOME to a folder of yours and run the command again.`;
  }
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

async function build(root, environment) {
  const files = [
    ...['package.json', 'generate-api-types.ts', 'index.html', 'vite.config.ts'].map(
      file => `packages/web-app/${file}`,
    ),
    'packages/sdk-typescript/generate.ts',
    ...['packages/web-app/src', 'packages/web-app/public', 'packages/shared-types/src'].flatMap(folder =>
      filesBelow(root, folder),
    ),
  ];
  const made = ['packages/web-app/dist/index.html', 'packages/sdk-typescript/src/generated/schema.ts'];
  if (made.every(file => existsSync(join(root, file))) && isStamped(root, 'built', files)) return;
  const turbo = join(root, 'node_modules/.bin/turbo');
  const tasks = ['run', '@mailproof/web-app#build', '@mailproof/sdk#generate', '--output-logs=errors-only'];
  await runQuietly('Building the web application', turbo, tasks, {
    cwd: root,
    env: environment,
    timeoutMs: buildTimeoutMs,
  });
  writeStamp(root, 'built', files);
}

async function buildDocumentation(root, environment) {
  const site = 'packages/docs-site';
  const files = [
    ...['package.json', 'brand.css', '.vitepress/config.ts'].map(file => `${site}/${file}`),
    'packages/web-app/public/mark.svg',
    ...[`${site}/src`, `${site}/reference`, 'packages/shared-types/src', 'docs'].flatMap(folder =>
      // Decisions are not served.
      filesBelow(root, folder).filter(file => !file.startsWith('docs/adr/')),
    ),
    ...pagesOutsideDocs(root),
  ];
  if (existsSync(join(root, site, 'dist/llms.txt')) && isStamped(root, 'documented', files)) return;
  const turbo = join(root, 'node_modules/.bin/turbo');
  const tasks = ['run', '@mailproof/docs-site#build', '--output-logs=errors-only'];
  await runQuietly('Building the documentation', turbo, tasks, {
    cwd: root,
    env: environment,
    timeoutMs: buildTimeoutMs,
    niceness: backgroundNiceness,
  });
  writeStamp(root, 'documented', files);
}

/** The Markdown files to which guides can link: in the root, and in the folders of packages, services and SDKs. */
function pagesOutsideDocs(root) {
  const folders = ['.', 'helm/mailproof', ...workspaceFolders(root), ...foldersIn(root, 'sdks')];
  return folders.flatMap(folder =>
    readdirSync(join(root, folder))
      .filter(name => name.endsWith('.md'))
      .map(name => join(folder, name))
      .sort(),
  );
}

function foldersIn(root, parent) {
  return readdirSync(join(root, parent)).map(name => `${parent}/${name}`);
}

function filesBelow(root, folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && !entry.parentPath.includes('generated'))
    .map(entry => relative(root, join(entry.parentPath, entry.name)))
    .sort();
}
