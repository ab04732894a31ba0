import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { run } from './shell.ts';

/** A program that runs in an image, with readable output. */
export type ImageProcess = ChildProcessByStdio<null, Readable, Readable>;

/** An image whose files are mounted, and which can be run with its own configuration. */
export interface MountedImage {
  readonly name: string;
  /**
   * The size of the whole image, including its base, and of the part that Mailproof adds, in MB of a million octets.
   */
  readonly sizeMb: number;
  readonly ownMb: number;
  readonly user: string;
  /** The command of its health check; absent for programs that run to completion. */
  readonly healthCommand: readonly string[] | undefined;
  /** Starts its entry point with these arguments. */
  start(args: readonly string[], settings?: RunSettings): ImageProcess;
  /** Starts another program in it, under the same restrictions. */
  startProgram(command: readonly string[], settings?: RunSettings): ImageProcess;
  remove(): void;
}

export interface RunSettings {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** A file of this machine that the program sees as `/tmp/given`. */
  readonly givenFile?: string;
}

interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly WorkingDir: string;
  readonly Healthcheck?: { readonly Test: readonly string[] };
}

/**
 * Does the same as `docker run --read-only --tmpfs /tmp --cap-drop ALL --security-opt no-new-privileges`, for machines
 * on which no engine may create containers: the program runs without privileges in a mount namespace in which the
 * image's files are read-only.
 */
const confine = `set -eu
root=$1 user=$2 group=$3 home=$4 given=$5
shift 5
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$root/tmp"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
if [ -n "$given" ]; then : > "$root/tmp/given"; mount --bind "$given" "$root/tmp/given"; fi
exec chroot "$root" /usr/bin/setpriv --reuid "$user" --regid "$group" --clear-groups --no-new-privs \\
  --bounding-set=-all --inh-caps=-all /usr/bin/env --chdir="$home" "$@"`;

/** Mounts an image from buildah's store. */
export function mountImage(name: string): MountedImage {
  const container = run('buildah', 'from', '--pull-never', name);
  const root = run('buildah', 'mount', container);
  const { OCIv1, Docker } = JSON.parse(run('buildah', 'inspect', '--type', 'container', container)) as {
    OCIv1: { config: ImageConfig };
    Docker: { config: ImageConfig };
  };
  const config = OCIv1.config;
  const [user = '', group = user] = config.User.split(':');

  function startProgram(command: readonly string[], settings: RunSettings = {}): ImageProcess {
    const environment = Object.entries(settings.environment ?? {}).flatMap(([key, value]) =>
      value === undefined ? [] : [`${key}=${value}`],
    );
    const confinement = [root, user, group, config.WorkingDir, settings.givenFile ?? ''];
    const args = ['-i', ...config.Env, ...environment, ...command];
    return spawn('unshare', ['--mount', 'sh', '-c', confine, 'confine', ...confinement, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  return {
    name,
    user: config.User,
    sizeMb: megabytes(root),
    ownMb: megabytes(`${root}/app`),
    healthCommand: Docker.config.Healthcheck?.Test.slice(1),
    start: (args, settings) => startProgram([...config.Entrypoint, ...args], settings),
    startProgram,
    remove: () => void run('buildah', 'rm', container),
  };
}

function megabytes(folder: string): number {
  const octets = Number(
    run('du', '--summarize', '--one-file-system', '--block-size=1', folder).split('\t')[0],
  );
  return Math.round(octets / 1_000_000);
}
