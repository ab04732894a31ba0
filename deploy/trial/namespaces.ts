import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { run } from '../smoke/shell.ts';

export interface InsideCommand {
  /** The program, relative to `deploy/`, and the file that is its only argument. */
  readonly program: string;
  readonly settingsFile: string;
  /** The command is ended after this time; not at all if it is kept until Ctrl-C. */
  readonly deadlineMs: number;
  readonly keep: boolean;
  /** Called with the prefix of a command that enters the namespaces from another terminal. */
  readonly onEntry: (prefix: string) => void;
}

/** The file descriptor of the machine's network in the program that runs inside. */
export const machineNetworkFd = 3;

const namespaces = ['--mount', '--net', '--pid', '--uts', '--ipc', '--fork', '--kill-child', '--mount-proc'];
const stopDeadlineMs = 60_000;
/**
 * The shell is the first process of its namespace, which must collect the orphans that end. A signal ends the first wait
 * early, and the second one has the exit code; otherwise the first one has it.
 */
const firstProcess =
  '"$@" <&0 & trap "kill -TERM $!" TERM INT; wait $!; code=$?; wait $! 2>/dev/null; again=$?; [ $again = 127 ] || code=$again; exit $code';

/**
 * Runs the rest of a command in namespaces for its own processes, mounts and networks, and returns its exit code. They
 * end with it, even if it is killed, and everything in them ends too. The end of its input tells the program to stop.
 */
export async function runInside(command: InsideCommand): Promise<number> {
  const { program, settingsFile, deadlineMs, keep, onEntry } = command;
  const inside = [process.execPath, resolve(import.meta.dirname, '..', program), settingsFile];
  const network = openSync('/proc/self/ns/net', 'r');
  const child = spawn('unshare', [...namespaces, 'bash', '-c', firstProcess, 'inside', ...inside], {
    stdio: ['pipe', 'inherit', 'inherit', network],
  });
  closeSync(network);
  child.stdin?.on('error', () => {});
  // `unshare` passes no signal on; the end of the input stops the rest, also when this process is killed.
  const stop = (): void => {
    child.stdin?.end();
    setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs).unref();
  };
  // What is kept runs until Ctrl-C.
  const timer = setTimeout(() => {
    if (keep) return;
    console.error('The command took too long, and ends.');
    child.kill('SIGKILL');
  }, deadlineMs);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  // The namespaces are those of the child of `unshare`.
  if (keep) onEntry(`nsenter --target $(pgrep --parent ${child.pid}) --mount --net --pid`);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  return code ?? 1;
}

/** Resolves when this part of the command, which {@link runInside} started, must stop. */
export function whenStopped(): Promise<'stopped'> {
  return new Promise(resolve => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve('stopped'));
    // The first part of the command has ended, or ends this one.
    process.stdin.resume().once('end', () => resolve('stopped'));
  });
}

/** Covers the folders in which programs keep state outside of those that they are given. */
export function hideMachine(): void {
  run('mount', '--make-rprivate', '/');
  for (const path of ['/run', '/var/lib', '/var/log']) run('mount', '-t', 'tmpfs', 'none', path);
}

/** The control groups that engines of containers make, by their folders. */
export function containerGroups(): readonly string[] {
  const all = readdirSync('/sys/fs/cgroup', { recursive: true, encoding: 'utf8' });
  return all.filter(path => /(libpod|conmon|buildah|crun|kubepods)[^/]*$/.test(path));
}

/**
 * Prints what a command left on this machine; the namespaces should have ended all of it.
 *
 * @param folder the folder of the run, which each of its mounts and processes names
 * @param groupsBefore the {@link containerGroups} before the run
 */
export function leftovers(folder: string, groupsBefore: readonly string[]): boolean {
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .filter(line => line.includes(folder));
  const processes = readdirSync('/proc').filter(
    id => /^\d+$/.test(id) && id !== String(process.pid) && commandOf(id).includes(folder),
  );
  const groups = containerGroups().filter(path => !groupsBefore.includes(path));
  for (const mount of mounts) console.error(`A mount is left: ${mount}`);
  for (const id of processes) console.error(`A process is left: ${id} ${commandOf(id)}`);
  for (const group of groups) console.error(`A control group is left: ${group}`);
  return mounts.length + processes.length + groups.length > 0;
}

function commandOf(id: string): string {
  try {
    return readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // It has ended.
    return '';
  }
}
