import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  type Keeper,
  type MailServerKind,
  mailServerPackages,
  projectRoot,
  startKeeper,
  stopProcess,
  waitFor,
} from '@mailproof/dev-house';
import { isListening } from './listening.ts';

/**
 * Real servers expect their files in one place, need their own users and conflict with each other as packages. So each
 * test file unpacks what it needs into a folder, which the servers then use as the root of the file system. Nothing on
 * the machine is changed, and deleting the folder undoes everything.
 */

/** Users within the folder; outside of it, these numbers are unlikely to be used. */
export const users = {
  root: 0,
  mail: 8,
  nobody: 65_534,
  postfix: 60_901,
  postdrop: 60_902,
  'Debian-exim': 60_903,
  opensmtpd: 60_904,
  opensmtpq: 60_905,
  vmail: 60_906,
} as const;

export type User = keyof typeof users;

export interface FileRights {
  readonly mode?: number;
  readonly owner?: User;
  readonly group?: User;
}

export interface ServerRoot {
  /** The path of the folder as seen from outside. */
  readonly folder: string;
  write(path: string, text: string, rights?: FileRights): void;
  makeFolder(path: string, rights?: FileRights): void;
  /** Runs a program in the folder to completion; if it fails, the error contains its output. */
  run(program: string, args: readonly string[]): Promise<string>;
  /** Starts a program, in the folder unless `outside`, and waits until it listens. */
  start(program: string, args: readonly string[], server: StartedServer): Promise<void>;
  close(): Promise<void>;
}

export interface StartedServer {
  readonly address: string;
  readonly port: number;
  readonly outside?: boolean;
  /** A file below the folder with the server's log, for the error if it does not start. */
  readonly log?: string;
}

const startDeadlineMs = 20_000;
const outputCharactersMax = 4_000;
/** Executes the server once the keeper knows the process: a test that is killed before that leaves nothing running. */
const whenTold = 'read -r go && exec "$@" </dev/null';
const exec = promisify(execFile);

/** Unpacks the packages for a kind of server into a folder of this test file. */
export async function openServerRoot(kind: MailServerKind): Promise<ServerRoot> {
  const state = await mkdtemp(join(tmpdir(), `mailproof-${kind}-`));
  // Servers that dropped root privileges still have to find their files.
  chmodSync(state, 0o711);
  const folder = join(state, 'root');
  const keeper = await startKeeper({
    projectRoot,
    stateDir: state,
    installationId: 'tests',
    isDurable: false,
    removeStateDirAfterward: true,
  });
  const groups: number[] = [];
  const root: ServerRoot = {
    folder,
    write(path, text, rights = {}) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
      giveRights(join(folder, path), 0o644, rights);
    },
    makeFolder(path, rights = {}) {
      mkdirSync(join(folder, path), { recursive: true });
      giveRights(join(folder, path), 0o755, rights);
    },
    async run(program, args) {
      const { stdout } = await exec('chroot', [folder, program, ...args], { timeout: startDeadlineMs });
      return stdout;
    },
    async start(program, args, server) {
      const command = server.outside ? [program, ...args] : ['chroot', folder, program, ...args];
      const child = spawn('sh', ['-c', whenTold, 'sh', ...command], {
        cwd: '/',
        detached: true,
        env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' },
        stdio: 'pipe',
      });
      await untilListening(child, groups, keeper, folder, program, server);
    },
    async close() {
      await Promise.all(groups.map(group => stopProcess(-group)));
      await stopStragglers(folder);
      await keeper.stop();
      await rm(state, { recursive: true, force: true });
    },
  };
  try {
    await unpack(kind, folder);
    furnish(root);
    return root;
  } catch (error) {
    await root.close();
    throw error;
  }
}

async function untilListening(
  child: ChildProcess,
  groups: number[],
  keeper: Keeper,
  folder: string,
  program: string,
  { address, port, log }: StartedServer,
): Promise<void> {
  const output = collect(child);
  child.once('error', output.add);
  child.stdin?.on('error', output.add);
  if (child.pid !== undefined) {
    groups.push(child.pid);
    keeper.watch(-child.pid);
    child.stdin?.end('go\n');
  }
  try {
    await waitFor(
      `${program} listens at ${address}:${port}`,
      () => {
        if (child.exitCode !== null || child.signalCode !== null) throw new Error(`${program} has ended.`);
        return isListening(address, port);
      },
      { deadlineMs: startDeadlineMs },
    );
  } catch (cause) {
    const path = log === undefined ? '' : join(folder, log);
    const logged = existsSync(path) ? readFileSync(path, 'utf8').slice(-outputCharactersMax) : '';
    throw new Error(`${(cause as Error).message}\n${output.text()}\n${logged}`, { cause });
  }
}

function collect(child: ChildProcess) {
  let text = '';
  function add(what: unknown): void {
    text = (text + String(what)).slice(-outputCharactersMax);
  }
  child.stdout?.on('data', add);
  child.stderr?.on('data', add);
  return { add, text: () => text };
}

async function unpack(kind: MailServerKind, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const file of mailServerPackages(kind).packages) {
    await exec('dpkg', ['-x', file, folder]);
  }
  await copyLibraries(folder);
}

/** The packages do not include libraries that this machine has; the programs get copies at the same paths. */
async function copyLibraries(folder: string): Promise<void> {
  const programs = await programsIn(folder);
  const searched = ['usr/lib/postfix', ...(await libraryFolders(folder))].map(path => join(folder, path));
  const { stdout } = await exec('ldd', programs, {
    env: { ...process.env, LD_LIBRARY_PATH: searched.join(':'), LC_ALL: 'C' },
  });
  const missing = /^\s*(\S+) => not found/m.exec(stdout);
  if (missing)
    throw new Error(`The library ${missing[1]} is neither among the packages nor on this machine.`);
  const paths = new Set([...stdout.matchAll(/(?:=> |^\s+)(\/\S+) \(0x/gm)].map(([, path = '']) => path));
  for (const path of paths) {
    if (path.startsWith(folder)) continue;
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(path, join(folder, path));
  }
}

async function programsIn(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const subfolder of [
    'usr/sbin',
    'usr/bin',
    'usr/lib/postfix',
    'usr/lib/postfix/sbin',
    'usr/libexec/opensmtpd',
  ]) {
    if (!existsSync(join(folder, subfolder))) continue;
    for (const entry of await readdir(join(folder, subfolder), { withFileTypes: true })) {
      const path = join(folder, subfolder, entry.name);
      if (entry.isFile() && readFileSync(path).subarray(0, 4).equals(elfMark)) found.push(path);
    }
  }
  return found;
}

/** The first octets of an ELF program or library. */
const elfMark = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);

/** Such as `usr/lib/x86_64-linux-gnu`. */
async function libraryFolders(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const subfolder of ['usr/lib', 'lib']) {
    if (!existsSync(join(folder, subfolder))) continue;
    const names = await readdir(join(folder, subfolder));
    found.push(...names.filter(name => name.endsWith('-linux-gnu')).map(name => join(subfolder, name)));
  }
  return found;
}

/**
 * Creates the files that every server expects. Devices are plain files, since a container may not be allowed to create
 * others.
 */
function furnish(root: ServerRoot): void {
  const entries = Object.entries(users);
  root.write(
    'etc/passwd',
    entries.map(([name, id]) => `${name}:x:${id}:${id}::/var/empty:/usr/sbin/nologin\n`).join(''),
  );
  root.write('etc/group', entries.map(([name, id]) => `${name}:x:${id}:\n`).join(''));
  // Our address has no name here: servers see only the name that DNS gives.
  root.write('etc/hosts', '');
  root.write('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\nservices: files\n');
  root.write('etc/services', 'smtp 25/tcp\ndomain 53/udp\ndomain 53/tcp\n');
  root.write('etc/protocols', 'tcp 6 TCP\nudp 17 UDP\n');
  root.write('dev/null', '', { mode: 0o666 });
  root.write('dev/urandom', Buffer.from(crypto.getRandomValues(new Uint8Array(4096))).toString('base64'));
  root.makeFolder('tmp', { mode: 0o1777 });
  root.makeFolder('run');
  root.makeFolder('var/empty');
  root.makeFolder('var/log', { mode: 0o1777 });
}

function giveRights(
  path: string,
  usualMode: number,
  { mode, owner = 'root', group = owner }: FileRights,
): void {
  chmodSync(path, mode ?? usualMode);
  chownSync(path, users[owner], users[group]);
}

/**
 * Stops leftover processes. Servers put processes into their own groups, but all of them have the folder as root, which
 * identifies them.
 */
async function stopStragglers(folder: string): Promise<void> {
  const pids = (await readdir('/proc')).filter(name => /^\d+$/.test(name));
  const ours = await Promise.all(
    pids.map(async pid =>
      (await readlink(`/proc/${pid}/root`).catch(() => '')) === folder ? Number(pid) : 0,
    ),
  );
  await Promise.all(ours.filter(pid => pid > 0).map(pid => stopProcess(pid)));
}
