import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type PythonTools, packForNpm, packPythonSdk, projectRoot } from '@mailproof/dev-house';

const run = promisify(execFile);

/** Packs the TypeScript SDK and the command line, and installs both tarballs into an empty folder. */
export async function installTypeScriptSdk(folder: string): Promise<void> {
  await mkdir(join(folder, 'packed'));
  await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const tarballs = [packForNpm('sdk', join(folder, 'packed')), packForNpm('cli', join(folder, 'packed'))];
  const sources = await dependenciesOf(join(projectRoot, 'packages/cli'));
  const copies = sources.map((_, at) => join(folder, 'copies', String(at)));
  // pnpm links files with the same content to each other; npm packs a link in their place, and then loses it.
  for (const [at, copy] of copies.entries()) await cp(sources[at] ?? '', copy, { recursive: true });
  const pack = ['pack', '--silent', '--ignore-scripts', '--pack-destination', join(folder, 'packed')];
  const { stdout } = await run('npm', [...pack, ...copies], { cwd: folder });
  const packed = stdout
    .trim()
    .split('\n')
    .map(name => `./packed/${name}`);
  // The dependencies come from tarballs too, because tests use no registry; their versions must fit.
  const install = ['install', '--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', [...install, ...tarballs, ...packed], { cwd: folder });
}

/** Packs the Python SDK, installs the wheel into a new environment in the folder, and returns the path of its Python. */
export async function installPythonSdk(folder: string, tools: PythonTools): Promise<string> {
  await mkdir(join(folder, 'packed'));
  const wheel = packPythonSdk(tools, join(folder, 'packed'));
  const python = join(folder, 'venv/bin/python3');
  await run(tools.python, ['-m', 'venv', '--without-pip', join(folder, 'venv')]);
  const install = ['install', '--quiet', '--disable-pip-version-check', '--no-index'];
  await run(tools.python, [
    ...['-m', 'pip', '--python', python, ...install, '--find-links', tools.wheels, wheel],
  ]);
  return python;
}

/** The folders of the packages that a package needs, as pnpm has installed them. */
async function dependenciesOf(folder: string, found = new Set<string>()): Promise<string[]> {
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    const beside = folder.includes('.pnpm') ? folder.slice(0, folder.lastIndexOf('node_modules')) : folder;
    const path = await realpath(join(beside, 'node_modules', name));
    // What the workspace publishes is packed like this package.
    const isPublished = path.startsWith(join(projectRoot, 'packages'));
    if (found.has(path)) continue;
    await dependenciesOf(path, isPublished ? found : found.add(path));
  }
  return [...found];
}
