import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { projectRoot } from './project-root.ts';

/** Where packages come from, and who hears of the progress. */
export interface PackageSource {
  /** Holds the lists, the packages and what is unpacked from them. You may delete it while no command runs. */
  readonly folder: string;
  /** A file in the format of `sources.list`, in place of those of the machine. */
  readonly sourceList?: string;
  readonly report: (line: string) => void;
  /** Ends the command that runs. */
  readonly signal?: AbortSignal | undefined;
}

/** A package as a file of the archive. */
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

/** Clears the commands that a machine attaches to `apt-get update`: they belong to the machine's own lists. */
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

/** Why packages cannot be fetched on this machine or used with these programs, or nothing. */
export function packagesObstacle(furtherPrograms: readonly string[] = []): string | undefined {
  if (process.platform !== 'linux') return 'they are Debian packages, and this machine does not run Linux';
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const missing = ['apt-get', 'dpkg-deb', 'flock', 'ldd', 'setpriv', ...furtherPrograms].filter(
    program => !folders.some(folder => existsSync(join(folder, program))),
  );
  return missing.length > 0 ? `this machine has no ${missing.join(', ')}: use Debian or Ubuntu` : undefined;
}

/**
 * Does the work while no other command fetches into the same folder; a second command waits for the first one. The
 * lock belongs to the open file, so it ends with this process, however that ends.
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
      report('Another command is fetching packages; waiting for it.');
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

/** `flock` locks the open file that it is given, which this process shares with it. */
async function takeLock(lock: number, seconds: number, signal: AbortSignal | undefined): Promise<boolean> {
  const child = spawn('flock', ['--timeout', String(seconds), '3'], {
    stdio: ['ignore', 'ignore', 'ignore', lock],
    ...(signal && { signal }),
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0;
}

/**
 * Downloads the packages and what they need beyond this machine into a folder, except for files that are there from an
 * earlier run. Nothing is installed, and the lists and caches of the machine's own apt are not touched, so any user may
 * do this. Call it within {@link whileFetching}.
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
      // An archive drops a package when it has a newer one, and then the lists have to be read again.
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

/** Returns what failed: one list among many may be out of reach, and the others may suffice. */
async function update(source: PackageSource): Promise<string | undefined> {
  source.report('Reading the package lists of the archive.');
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
  // Not in `into`: apt-get names no address of a package that is there already.
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
  if (broken.length > 0) throw new Error(`${broken.map(({ file }) => file).join(', ')} did not arrive`);
}

/** Reads the plan of an installation, whose lines are such as `Inst libidn12 (1.41-1 Debian:12.15 [amd64])`. */
export function addedPackages(plan: string): string[] {
  return [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name);
}

/** Reads lines such as `'http://…/libidn12_1.41-1_amd64.deb' libidn12_1.41-1_amd64.deb 83832 SHA256:…`. */
export function packageFiles(uris: string): PackageFile[] {
  return [...uris.matchAll(/^'[^']+' (([^\s_]+)_\S+\.deb) (\d+)/gm)].map(
    ([, file = '', name = '', octets]) => ({ name, file, octets: Number(octets) }),
  );
}

/** `postfix 3.7.11-0+deb12u1` of a file's name, in which the colon of an epoch is written `%3a`. */
export function label(file: string): string {
  const [name = '', version = ''] = file.split('_');
  return `${name} ${decodeURIComponent(version)}`;
}

/** Unpacks packages, one over the other, into a folder that is made where it does not exist. */
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
    // Ends with this process, even one that is killed: an apt-get that survives would still hold its lock.
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

/** What apt-get says is wrong; it marks such lines, of which the first ones tell most. */
function complaintOf(error: unknown, deadlineMs: number): string {
  const { killed, stderr = '', message } = error as Error & { killed?: boolean; stderr?: string };
  if (killed) return `it was not done after ${deadlineMs / 1000} s`;
  const complaints = stderr.split('\n').filter(line => /^[EW]: /.test(line));
  return complaints.slice(0, complaintsMax).join('\n') || message;
}

function isComplete({ path, octets }: { readonly path: string; readonly octets: number }): boolean {
  return sizeOf(path) === octets;
}

/** In octets; 0 for a file that is not there, also where apt-get takes it away at this moment. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function inMegabytes(octets: number): string {
  return (octets / 1_000_000).toFixed(1);
}
