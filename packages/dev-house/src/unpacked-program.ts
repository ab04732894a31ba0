import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import {
  fetchPackages,
  label,
  type PackageSource,
  unpackPackages,
  whileFetching,
} from './debian-packages.ts';

/** A program from a Debian package. */
export interface PackagedProgram {
  /** The package that contains the program. */
  readonly name: string;
  /** The program's path within the package. */
  readonly program: string;
}

const commandDeadlineMs = 60_000;
/** Libraries found in one round may need others. */
const libraryRoundsMax = 10;
const execute = promisify(execFile);

/** Returns the path of a program that was unpacked earlier for this system release; undefined if there is none. */
export function unpackedProgram(packaged: PackagedProgram, folder: string): string | undefined {
  const launcher = launcherIn(treeOf(packaged, folder), packaged);
  return existsSync(launcher) ? launcher : undefined;
}

/**
 * Unpacks a program with all dependencies that this machine lacks, without installing it, and returns its path. It
 * downloads the program unless an earlier command did, and keeps it until the folder is deleted.
 *
 * @throws Error when a package cannot be downloaded, or when the program does not run
 */
export async function unpackProgram(packaged: PackagedProgram, source: PackageSource): Promise<string> {
  return whileFetching(source, async () => {
    const tree = treeOf(packaged, source.folder);
    const earlier = unpackedProgram(packaged, source.folder);
    if (earlier) return earlier;
    const downloads = `${tree}.packages`;
    const files = await fetchPackages([packaged.name], downloads, source);
    // A program runs with the machine's dynamic loader, which accepts only the C library of the same version.
    if (files.some(({ name }) => name === 'libc6')) {
      throw new Error(
        `${packaged.name} requires a different C library than this machine has: update the machine`,
      );
    }
    source.report(`Unpacking ${files.length} packages.`);
    // Unpack under another name first, so that an incomplete tree is never mistaken for a complete one.
    const unfinished = `${tree}.unfinished`;
    try {
      await rm(unfinished, { recursive: true, force: true });
      await unpackPackages(
        files.map(({ path }) => path),
        unfinished,
        source.signal,
      );
      await writeLauncher(unfinished, packaged);
      await rm(tree, { recursive: true, force: true });
      await rename(unfinished, tree);
    } finally {
      await rm(unfinished, { recursive: true, force: true });
      // The packages are unpacked or damaged, so they are no longer needed.
      if (!source.signal?.aborted) await rm(downloads, { recursive: true, force: true });
    }
    const version = files.find(({ name }) => name === packaged.name)?.file ?? packaged.name;
    source.report(`Unpacked ${label(version)} into ${tree}. Nothing is installed.`);
    return launcherIn(tree, packaged);
  });
}

/**
 * Returns the folder of a program's tree. A tree fits only one system release, because each release lacks different
 * libraries.
 */
function treeOf({ name }: PackagedProgram, folder: string): string {
  const { ID, VERSION_ID, VERSION_CODENAME } = existsSync('/etc/os-release')
    ? parseEnv(readFileSync('/etc/os-release', 'utf8'))
    : {};
  const system = [ID, VERSION_ID ?? VERSION_CODENAME, process.arch].filter(Boolean).join('-');
  return join(folder, `${name}-${system}`);
}

function launcherIn(tree: string, { program }: PackagedProgram): string {
  return join(tree, basename(program));
}

/** Writes the script that runs the program with the libraries and fonts of the tree, and tests it. */
async function writeLauncher(tree: string, packaged: PackagedProgram): Promise<void> {
  if (!existsSync(join(tree, packaged.program))) {
    throw new Error(`the package ${packaged.name} does not contain ${packaged.program}`);
  }
  const libraries = await libraryFolders(tree, packaged.program);
  const lines = [
    '#!/bin/sh',
    'here=$(cd "$(dirname "$0")" && pwd -P)',
    ...(libraries.length > 0
      ? [
          `libraries="${libraries.map(folder => `$here/${folder}`).join(':')}"`,
          // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell expands it.
          'export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"',
        ]
      : []),
    ...((await provideFonts(tree)) ? ['export FONTCONFIG_FILE="$here/fonts.conf"'] : []),
    `exec "$here/${packaged.program}" "$@"`,
  ];
  const launcher = launcherIn(tree, packaged);
  await writeFile(launcher, `${lines.join('\n')}\n`, { mode: 0o755 });
  await execute(launcher, ['--version'], { timeout: commandDeadlineMs });
}

/**
 * Writes font settings for the tree. On a machine without fonts, the packages contain fonts, and settings that look for
 * them under `/usr`. `FONTCONFIG_SYSROOT` would need no file, but Chromium aborts with it.
 */
async function provideFonts(tree: string): Promise<boolean> {
  if (!existsSync(join(tree, 'etc/fonts/fonts.conf'))) return false;
  await writeFile(
    join(tree, 'fonts.conf'),
    `<?xml version="1.0"?>
<fontconfig>
  <dir prefix="relative">usr/share/fonts</dir>
  <include ignore_missing="yes" prefix="relative">etc/fonts/conf.d</include>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`,
  );
  return true;
}

/** Returns the usual library folders of the tree, and others that contain libraries which the program lacks. */
async function libraryFolders(tree: string, program: string): Promise<string[]> {
  const libraries = await librariesIn(tree);
  const folders = new Set(
    libraries.map(dirname).filter(folder => /^(usr\/)?lib\/[^/]+-linux-gnu[^/]*$/.test(folder)),
  );
  for (let round = 0; round < libraryRoundsMax; round += 1) {
    const missing = await missingLibraries(tree, program, folders);
    if (missing.length === 0) break;
    for (const library of missing) {
      const path = libraries.find(each => basename(each) === library);
      if (!path) throw new Error(`the library ${library} is neither in the packages nor on this machine`);
      folders.add(dirname(path));
    }
  }
  return [...folders];
}

async function librariesIn(tree: string): Promise<string[]> {
  const found: string[] = [];
  for (const subfolder of ['usr/lib', 'lib']) {
    if (!existsSync(join(tree, subfolder))) continue;
    for (const entry of await readdir(join(tree, subfolder), { recursive: true })) {
      if (/\.so(\.|$)/.test(basename(entry))) found.push(join(subfolder, entry));
    }
  }
  return found;
}

async function missingLibraries(tree: string, program: string, folders: Iterable<string>): Promise<string[]> {
  const path = [...folders].map(folder => join(tree, folder)).join(':');
  const { stdout } = await execute('ldd', [join(tree, program)], {
    timeout: commandDeadlineMs,
    env: { ...process.env, LD_LIBRARY_PATH: path, LC_ALL: 'C' },
  });
  return [...stdout.matchAll(/^\s*(\S+) => not found/gm)].map(([, library = '']) => library);
}
