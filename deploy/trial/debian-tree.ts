import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  fetchPackages,
  packageFolder,
  runProgram,
  unpackPackages,
  whileFetching,
} from '@mailproof/dev-house/images';

export interface DebianTree {
  readonly packages: readonly string[];
  /** The folder of the project's cache that keeps the tree and the packages. */
  readonly folder: string;
  /** Programs that are run without the environment in which their libraries are named. */
  readonly restarting: readonly string[];
  readonly report: (line: string) => void;
}

const patchDeadlineMs = 60_000;

/** Returns a folder with the packages and all that they need, unpacked by this run or an earlier one. Nothing is installed. */
export async function unpackedTree({ packages, folder, restarting, report }: DebianTree): Promise<string> {
  const listed = createHash('sha256')
    .update([...packages, ...restarting].join())
    .digest('hex')
    .slice(0, 8);
  const tree = join(folder, `packages-${listed}`);
  if (existsSync(tree)) return tree;
  const source = { folder: packageFolder, report };
  const unfinished = `${tree}.unfinished`;
  await rm(unfinished, { recursive: true, force: true });
  await whileFetching(source, async () => {
    const files = await fetchPackages(packages, join(packageFolder, 'deploy'), source);
    if (files.some(({ name }) => name === 'libc6'))
      throw new Error(
        'The packages require a different C library than this machine has: update the machine.',
      );
    await unpackPackages(
      files.map(({ path }) => path),
      unfinished,
    );
  });
  const libraries = libraryFolders(unfinished).map(path => path.replace(unfinished, tree));
  for (const program of restarting)
    runProgram(
      join(unfinished, 'usr/bin/patchelf'),
      ['--force-rpath', '--set-rpath', libraries.join(':'), join(unfinished, program)],
      { env: { LD_LIBRARY_PATH: libraryFolders(unfinished).join(':') }, deadlineMs: patchDeadlineMs },
    );
  await rename(unfinished, tree);
  return tree;
}

/** The environment in which the programs of a tree find each other and their libraries. */
export function treeEnvironment(tree: string): Readonly<Record<string, string>> {
  const folders = ['usr/bin', 'usr/sbin', 'bin', 'sbin'].map(folder => join(tree, folder));
  return {
    PATH: [...folders, process.env['PATH']].join(':'),
    LD_LIBRARY_PATH: libraryFolders(tree).join(':'),
    DEBOOTSTRAP_DIR: join(tree, 'usr/share/debootstrap'),
  };
}

/** The folders of a tree's libraries. */
export function libraryFolders(tree: string): string[] {
  const triplet = process.arch === 'arm64' ? 'aarch64-linux-gnu' : 'x86_64-linux-gnu';
  return [`usr/lib/${triplet}`, `lib/${triplet}`].map(folder => join(tree, folder)).filter(existsSync);
}

/**
 * Writes the settings of buildah and podman below their own home, and returns the environment that names them: no file
 * outside it is read or written. It keeps the images; `runRoot` keeps what ends with the machine.
 */
export function containerSettings(home: string, runRoot = join(home, 'run')): Record<string, string> {
  const folder = join(home, '.config/containers');
  mkdirSync(folder, { recursive: true });
  const files = {
    'policy.json': '{ "default": [{ "type": "insecureAcceptAnything" }] }\n',
    'registries.conf': 'unqualified-search-registries = ["docker.io"]\n',
    'storage.conf': `[storage]\ndriver = "overlay"\ngraphroot = "${join(home, 'storage')}"\nrunroot = "${runRoot}"\n`,
  };
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    if (!existsSync(file) || readFileSync(file, 'utf8') !== content) writeFileSync(file, content);
  }
  return {
    HOME: home,
    CONTAINERS_REGISTRIES_CONF: join(folder, 'registries.conf'),
    CONTAINERS_STORAGE_CONF: join(folder, 'storage.conf'),
  };
}
