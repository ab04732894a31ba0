import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from './project-root.ts';

/** Where packages come from, and how to report progress. */
export interface PackageSource {
  /** Holds the lists, the packages and their unpacked content. You may delete it while no command runs. */
  readonly folder: string;
  /** A file in the format of `sources.list`, which replaces the machine's own. */
  readonly sourceList?: string;
  readonly report: (line: string) => void;
  /** Ends the running command. */
  readonly signal?: AbortSignal | undefined;
}

/** A package's file in the archive. */
export interface PackageFile {
  readonly name: string;
  readonly file: string;
  readonly octets: number;
}

export interface FetchedPackage extends PackageFile {
  readonly path: string;
}

export const packageFolder = join(projectRoot, 'node_modules/.cache/debian-packages');

const commandDeadlineMs = 180_000;
const downloadDeadlineMs = 600_000;
const lockDeadlineSeconds = 900;
const progressEveryMs = 10_000;
const outputOctetsMax = 32 * 1024 * 1024;
const complaintsMax = 4;

/** Clears the commands that a machine runs around `apt-get update`: they are meant for the machine's own lists. */
const configuration = `#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Sandbox::User "root";
APT::Install-Recommends "false";
APT::Update::Error-Mode "any";
Acquire::Languages "none";
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
Acquire::Retries "2";
Acquire::http::Timeout "20";
Acquire::https::Timeout "20";
`;

const execute = promisify(execFile);

/** Returns why this machine cannot fetch packages or lacks one of these programs; undefined if it can. */
export function packagesObstacle(furtherPrograms: readonly string[] = []): string | undefined {
  if (process.platform !== 'linux') return 'they are Debian packages, and this machine does not run Linux';
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const missing = ['apt-get', 'dpkg-deb', 'flock', 'ldd', 'setpriv', ...furtherPrograms].filter(
    program => !folders.some(folder => existsSync(join(folder, program))),
  );
  return missing.length > 0 ? `this machine has no ${missing.join(', ')}: use Debian or Ubuntu` : undefined;
}

/**
 * Runs work while no other command fetches into the same folder; a second command waits for the first. The lock belongs
 * to the open file, so it ends with this process, even after a crash.
 *
 * @throws Error when the other command has not finished within 15 minutes
 */
export async function whileFetching<Result>(
  { folder, report, signal }: PackageSource,
  work: () => Promise<Result>,
): Promise<Result> {
  await mkdir(folder, { recursive: true });
  const lock = openSync(join(folder, 'lock'), 'w');
  try {
    if (!(await takeLock(lock, 0, signal))) {
      report('Another command is downloading packages; waiting for it.');
      if (!(await takeLock(lock, lockDeadlineSeconds, signal))) {
        throw new Error(
          `another command still holds ${join(folder, 'lock')} after ${lockDeadlineSeconds / 60} minutes`,
        );
      }
    }
    return await work();
  } finally {
    closeSync(lock);
  }
}

/** Runs `flock` on an open file that it shares with this process. */
async function takeLock(lock: number, seconds: number, signal: AbortSignal | undefined): Promise<boolean> {
  const child = spawn('flock', ['--timeout', String(seconds), '3'], {
    stdio: ['ignore', 'ignore', 'ignore', lock],
    ...(signal && { signal }),
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0;
}

/**
 * Downloads the packages and their dependencies that this machine lacks into a folder, except for files from an earlier
 * run. It installs nothing and leaves the lists and caches of the machine's own apt unchanged, so any user may run it.
 * Call it within {@link whileFetching}.
 *
 * @throws Error when a package cannot be downloaded
 */
export async function fetchPackages(
  names: readonly string[],
  into: string,
  source: PackageSource,
): Promise<FetchedPackage[]> {
  for (const folder of ['lists/partial', 'cache/archives/partial']) {
    await mkdir(join(source.folder, folder), { recursive: true });
  }
  await mkdir(into, { recursive: true });
  await writeFile(join(source.folder, 'apt.conf'), configuration);
  if (existsSync(join(source.folder, 'lists/lock'))) {
    try {
      return await download(names, into, source);
    } catch (error) {
      if (source.signal?.aborted) throw error;
      // An archive drops a package when it gets a newer version; then the lists must be read again.
    }
  }
  const complaint = await update(source);
  try {
    return await download(names, into, source);
  } catch (error) {
    if (!complaint || source.signal?.aborted) throw error;
    throw new Error(`${complaint}\n${(error as Error).message}`, { cause: error });
  }
}

/** Returns the error instead of throwing it: one of many lists may be unreachable, and the others may suffice. */
async function update(source: PackageSource): Promise<string | undefined> {
  source.report('Reading the archive’s package lists.');
  try {
    await aptGet(['update'], source.folder, source, commandDeadlineMs);
    return undefined;
  } catch (error) {
    if (source.signal?.aborted) throw error;
    return (error as Error).message;
  }
}

async function download(
  names: readonly string[],
  into: string,
  source: PackageSource,
): Promise<FetchedPackage[]> {
  const plan = await aptGet(['install', '--simulate', ...names], into, source, commandDeadlineMs);
  const all = [...new Set([...names, ...addedPackages(plan)])];
  // Not in `into`: apt-get prints no URI for a package that is already there.
  const uris = await aptGet(['download', '--print-uris', ...all], source.folder, source, commandDeadlineMs);
  const files = packageFiles(uris).map(file => ({ ...file, path: join(into, file.file) }));
  const unknown = all.filter(name => !files.some(file => file.name === name));
  if (unknown.length > 0) throw new Error(`apt-get knows no package ${unknown.join(', ')}`);
  const missing = files.filter(file => !isComplete(file));
  if (missing.length > 0) await downloadMissing(missing, into, source);
  return files;
}

async function downloadMissing(
  files: readonly FetchedPackage[],
  into: string,
  source: PackageSource,
): Promise<void> {
  const total = files.reduce((sum, { octets }) => sum + octets, 0);
  source.report(`Downloading ${files.length} packages, ${inMegabytes(total)} MB.`);
  const progress = setInterval(() => {
    const arrived = files.reduce((sum, { path }) => sum + sizeOf(path), 0);
    source.report(`Downloading: ${inMegabytes(arrived)} of ${inMegabytes(total)} MB.`);
  }, progressEveryMs);
  try {
    await aptGet(['download', ...files.map(({ name }) => name)], into, source, downloadDeadlineMs);
  } finally {
    clearInterval(progress);
  }
  const broken = files.filter(file => !isComplete(file));
  if (broken.length > 0) throw new Error(`${broken.map(({ file }) => file).join(', ')} were not downloaded`);
}

/** Reads the plan of an installation, with lines such as `Inst libidn12 (1.41-1 Debian:12.15 [amd64])`. */
export function addedPackages(plan: string): string[] {
  return [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name);
}

/** Reads lines such as `'http://…/libidn12_1.41-1_amd64.deb' libidn12_1.41-1_amd64.deb 83832 SHA256:…`. */
export function packageFiles(uris: string): PackageFile[] {
  return [...uris.matchAll(/^'[^']+' (([^\s_]+)_\S+\.deb) (\d+)/gm)].map(
    ([, file = '', name = '', octets]) => ({ name, file, octets: Number(octets) }),
  );
}

/** Returns `postfix 3.7.11-0+deb12u1` from a file's name, in which the colon of an epoch is `%3a`. */
export function label(file: string): string {
  const [name = '', version = ''] = file.split('_');
  return `${name} ${decodeURIComponent(version)}`;
}

/** Unpacks packages, one over the other, into a folder; creates the folder if necessary. */
export async function unpackPackages(
  paths: readonly string[],
  folder: string,
  signal?: AbortSignal,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const path of paths) {
    await execute('dpkg-deb', ['-x', path, folder], {
      timeout: commandDeadlineMs,
      ...(signal && { signal }),
    });
  }
}

async function aptGet(
  args: readonly string[],
  cwd: string,
  { folder, sourceList, signal }: PackageSource,
  deadlineMs: number,
): Promise<string> {
  const options = [
    `Dir::State::Lists=${join(folder, 'lists')}`,
    `Dir::Cache=${join(folder, 'cache')}`,
    `Dir::Log=${folder}`,
    ...(sourceList ? [`Dir::Etc::SourceList=${sourceList}`, 'Dir::Etc::SourceParts=/dev/null'] : []),
  ].flatMap(option => ['-o', option]);
  try {
    const command = ['apt-get', '-q', '-c', join(folder, 'apt.conf'), ...options, ...args];
    // Ends apt-get with this process, even if this process is killed: a surviving apt-get would still hold its lock.
    const { stdout } = await execute('setpriv', ['--pdeathsig', 'KILL', ...command], {
      cwd,
      timeout: deadlineMs,
      maxBuffer: outputOctetsMax,
      env: { ...process.env, LC_ALL: 'C' },
      ...(signal && { signal }),
    });
    return stdout;
  } catch (error) {
    throw new Error(`apt-get ${args[0]} failed: ${complaintOf(error, deadlineMs)}`, { cause: error });
  }
}

/** Returns the first errors and warnings of apt-get, which marks these lines; the first ones are the most useful. */
function complaintOf(error: unknown, deadlineMs: number): string {
  const { killed, stderr = '', message } = error as Error & { killed?: boolean; stderr?: string };
  if (killed) return `it did not finish within ${deadlineMs / 1000} s`;
  const complaints = stderr.split('\n').filter(line => /^[EW]: /.test(line));
  return complaints.slice(0, complaintsMax).join('\n') || message;
}

function isComplete({ path, octets }: { readonly path: string; readonly octets: number }): boolean {
  return sizeOf(path) === octets;
}

/** Returns a file's size in octets; 0 if it does not exist, even if apt-get is just removing it. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function inMegabytes(octets: number): string {
  return (octets / 1_000_000).toFixed(1);
}
