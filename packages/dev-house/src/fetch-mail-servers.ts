import { execFile } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { MailServerKind, MailServerPackages } from './mail-server-packages.ts';

/** The Debian packages that make up each kind of server; what these depend on is found out. */
const wanted: Readonly<Record<MailServerKind, readonly string[]>> = {
  postfix: ['postfix'],
  postgrey: ['postfix', 'postgrey'],
  exim: ['exim4-daemon-light'],
  opensmtpd: ['opensmtpd'],
};

export const mailServerKinds = Object.keys(wanted) as MailServerKind[];

const commandDeadlineMs = 180_000;
const run = promisify(execFile);

/** Why no kind of server can be had on this machine, or nothing. */
export function obstacle(): string | undefined {
  if (process.platform !== 'linux') return 'they are Debian packages, and this is no Linux';
  if (process.getuid?.() !== 0)
    return 'they change their user and root folder, which only root may: run as root';
  const missing = ['apt-get', 'dpkg', 'ldd', 'chroot', 'perl'].filter(program => !isInstalled(program));
  return missing.length > 0 ? `this machine has no ${missing.join(', ')}: use Debian or Ubuntu` : undefined;
}

/**
 * Downloads the packages of a kind of server and of what it needs beyond this machine, unless they are there from
 * an earlier run. They are only unpacked later, never installed: Postfix, Exim and OpenSMTPD exclude each other as
 * packages, and nothing of the machine is to change.
 *
 * @throws Error when a package cannot be had
 */
export async function fetchMailServer(kind: MailServerKind, folder: string): Promise<MailServerPackages> {
  const names = wanted[kind];
  await mkdir(folder, { recursive: true });
  const all = [...new Set([...names, ...(await dependenciesOf(names))])];
  const files = await filesOf(all);
  const missing = files.filter(({ file, octets }) => !isComplete(join(folder, file), octets));
  if (missing.length > 0) {
    await aptGet(['download', ...missing.map(({ name }) => name)], folder);
  }
  const packages = files.map(({ file }) => join(folder, file));
  const broken = files.filter(({ file, octets }) => !isComplete(join(folder, file), octets));
  if (broken.length > 0) throw new Error(`${broken.map(({ file }) => file).join(', ')} did not arrive`);
  return {
    packages,
    versions: files.filter(({ name }) => names.includes(name)).map(({ file }) => label(file)),
  };
}

/** Reads the lists of packages anew, as a fresh container needs. */
export async function updatePackageLists(): Promise<void> {
  await aptGet(['update'], '/');
}

/** What an installation would add to this machine. */
async function dependenciesOf(names: readonly string[]): Promise<string[]> {
  return addedPackages(await aptGet(['install', '--simulate', '--no-install-recommends', ...names], '/'));
}

async function filesOf(names: readonly string[]): Promise<PackageFile[]> {
  const files = packageFiles(await aptGet(['download', '--print-uris', ...names], '/'));
  const unknown = names.filter(name => !files.some(file => file.name === name));
  if (unknown.length > 0) throw new Error(`no package ${unknown.join(', ')} is known to apt-get`);
  return files;
}

/** Reads the plan of an installation, whose lines are such as `Inst libidn12 (1.41-1 Debian:12.15 [amd64])`. */
export function addedPackages(plan: string): string[] {
  return [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name);
}

export interface PackageFile {
  readonly name: string;
  readonly file: string;
  readonly octets: number;
}

/** Reads lines such as `'http://…/libidn12_1.41-1_amd64.deb' libidn12_1.41-1_amd64.deb 83832 SHA256:…`. */
export function packageFiles(uris: string): PackageFile[] {
  return [...uris.matchAll(/^'[^']+' (([^\s_]+)_\S+\.deb) (\d+)/gm)].map(
    ([, file = '', name = '', octets]) => ({ name, file, octets: Number(octets) }),
  );
}

async function aptGet(args: readonly string[], cwd: string): Promise<string> {
  // The user _apt, whom apt-get would otherwise become, cannot write into a checkout.
  const { stdout } = await run('apt-get', ['-q', '-o', 'APT::Sandbox::User=root', ...args], {
    cwd,
    timeout: commandDeadlineMs,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C' },
  });
  return stdout;
}

function isComplete(path: string, octets: number): boolean {
  return existsSync(path) && statSync(path).size === octets;
}

/** `postfix 3.7.11-0+deb12u1` of a file's name, in which the colon of an epoch is written `%3a`. */
export function label(file: string): string {
  const [name = '', version = ''] = file.split('_');
  return `${name} ${decodeURIComponent(version)}`;
}

function isInstalled(program: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some(folder => existsSync(join(folder, program)));
}
