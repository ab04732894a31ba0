import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { runScript } from './run-script.ts';

/*
 * Assembles in a folder what one part, such as a service, needs at run time: its compiled code and that of our packages
 * that it uses, at the same paths as in the checkout, with installed dependencies and a bill of materials. It runs
 * while an image is built, in a compiled checkout.
 */

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string>>;
}

/** Only the built files of these packages are served; their sources are not needed at run time. */
const builtPackages: readonly string[] = ['@mailproof/web-app', '@mailproof/docs-site'];

/**
 * Files in installed packages that only editors and debuggers read, and query compilers that our clients do not load.
 */
const uselessFiles = [
  'node_modules/.pnpm/**/*.{map,d.ts,d.mts,d.cts}',
  'node_modules/.pnpm/@prisma+client@*/node_modules/@prisma/client/runtime/{query_compiler_fast_bg.*,query_compiler_*.{cockroachdb,mysql,sqlite,sqlserver}.*}',
];

const root = resolve(import.meta.dirname, '../..');
const [part, target] = process.argv.slice(2);
if (!part || !target || !existsSync(join(root, part, 'package.json'))) {
  console.error('Usage: node deploy/image/assemble.ts <services/name | packages/name> <empty folder>');
  process.exit(2);
}
assemble(part, resolve(target));

function assemble(wanted: string, out: string): void {
  const folders = globSync('{deploy,packages/*,services/*}/package.json', { cwd: root }).map(dirname);
  for (const file of ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml']) copy(file, out);
  for (const folder of folders) copy(`${folder}/package.json`, out);

  const { name } = manifestOf(wanted);
  const selection = [`--filter-prod=${name}...`, ...builtPackages.map(each => `--filter-prod=!${each}`)];
  // The packages were already fetched for compilation; they are refetched only if the build's cache was cleared since.
  pnpm(out, 'install', '--prod', '--prefer-offline', '--frozen-lockfile', '--ignore-scripts', ...selection);
  const bill = pnpm(out, 'sbom', '--sbom-format=cyclonedx', '--prod', '--lockfile-only', `--filter=${name}`);
  writeFileSync(join(out, 'sbom.cdx.json'), bill);

  const needed = withDependencies(wanted, folders);
  for (const folder of folders) {
    if (needed.includes(folder)) copyCompiled(folder, out);
    else rmSync(join(out, folder), { recursive: true });
  }
  // The installation needs files of other parts: the SQL that creates their tables.
  if (name === '@mailproof/installation')
    for (const migrations of globSync('services/*/migrations', { cwd: root })) copy(migrations, out);
  for (const file of globSync(uselessFiles, { cwd: out })) rmSync(join(out, file));

  copy('LICENSE', out);
  copy('NOTICE', out);
  copy('deploy/image/is-ready.mjs', out, 'is-ready.mjs');
  writeFileSync(
    join(out, 'run'),
    runScript(wanted, path => existsSync(join(out, wanted, path))),
  );
  chmodSync(join(out, 'run'), 0o755);
}

/** Returns the folder itself and those of all our packages that it depends on at run time. */
function withDependencies(wanted: string, folders: readonly string[]): string[] {
  const byName = new Map(folders.map(folder => [manifestOf(folder).name, folder]));
  const found = new Set<string>();
  const visit = (folder: string): void => {
    if (found.has(folder)) return;
    found.add(folder);
    const { name, dependencies = {} } = manifestOf(folder);
    if (builtPackages.includes(name)) return;
    for (const each of Object.keys(dependencies)) {
      const used = byName.get(each);
      if (used) visit(used);
    }
  };
  visit(wanted);
  return [...found];
}

function copyCompiled(folder: string, out: string): void {
  const manifest = manifestOf(folder);
  if (builtPackages.includes(manifest.name)) {
    copy(`${folder}/dist`, out);
    return;
  }
  cpSync(join(root, folder, 'src'), join(out, folder, 'src'), {
    recursive: true,
    filter: source =>
      !/\.tsx?$|\/testing$/.test(source) && (statSync(source).isDirectory() || !/\.test\./.test(source)),
  });
  const compiled = Object.fromEntries(
    Object.entries(manifest.exports ?? {}).map(([name, path]) => [name, path.replace(/\.ts$/, '.js')]),
  );
  writeFileSync(
    join(out, folder, 'package.json'),
    `${JSON.stringify({ ...manifest, ...(manifest.exports && { exports: compiled }) }, null, 2)}\n`,
  );
}

function copy(path: string, out: string, as = path): void {
  mkdirSync(dirname(join(out, as)), { recursive: true });
  cpSync(join(root, path), join(out, as), { recursive: true });
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
}

function pnpm(cwd: string, ...args: string[]): string {
  return execFileSync('pnpm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}
