import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { packagesObstacle, projectRoot, providedFolder, runProgram } from '@mailproof/dev-house/images';
import { containerSettings, libraryFolders, treeEnvironment, unpackedTree } from '../trial/debian-tree.ts';

/** The programs of the trial, and the environment that they need. */
export interface Programs {
  /** Docker Compose as a program without Docker. */
  readonly compose: string;
  /** The folder of the unpacked packages, podman among them. */
  readonly tree: string;
  /** `PATH`, the libraries of the packages, and where buildah and podman find their settings and keep their images. */
  readonly environment: Readonly<Record<string, string>>;
}

export const cacheFolder = join(projectRoot, 'node_modules/.cache/compose');
/** Where buildah and podman keep images, below their own home. */
export const containersHome = join(cacheFolder, 'containers');
export const runRoot = '/run/containers';

const pins = resolve(import.meta.dirname, 'programs');
const packages = [
  'aardvark-dns',
  'buildah',
  'conmon',
  'crun',
  'debootstrap',
  'iproute2',
  'iptables',
  'netavark',
  'patchelf',
  'podman',
  'slirp4netns',
] as const;
const composePackage = 'github.com/docker/compose/v2';
const buildArgs = ['-p=2', '-trimpath', '-buildvcs=false', '-mod=readonly'];
const buildDeadlineMs = 1_800_000;

/** Returns a sentence that says why this machine cannot run the trial; undefined if it can. */
export function composeObstacle(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'The trial needs Linux and root: it makes namespaces and mounts.';
  const packagesMissing = packagesObstacle(['git', 'nsenter', 'unshare', 'mount']);
  if (packagesMissing) return `The trial needs Debian packages, and ${packagesMissing}.`;
  const go = spawnSync('go', ['list', '-m'], { cwd: pins, encoding: 'utf8' });
  if (go.error) return 'The trial needs Go, to build Docker Compose with: install Go 1.26 or later.';
  return go.status === 0 ? undefined : `The trial needs another Go: ${go.stderr.trim()}.`;
}

/** Builds or unpacks the programs that an earlier run did not leave. Nothing is installed. */
export async function providePrograms(report: (line: string) => void): Promise<Programs> {
  const built = providedFolder({
    name: 'docker-compose',
    cache: 'compose',
    pins,
    files: ['go.mod', 'go.sum'],
    settings: buildArgs,
    report,
    make: folder => {
      report('Building Docker Compose: some minutes of processor time, once.');
      mkdirSync(folder, { recursive: true });
      const version = runProgram('go', ['list', '-m', '-f', '{{.Version}}', composePackage], { cwd: pins });
      const flags = `-ldflags=-s -w -X ${composePackage}/internal.Version=${version.trim()}`;
      const target = ['-o', join(folder, 'docker-compose'), `${composePackage}/cmd`];
      runProgram('go', ['build', ...buildArgs, flags, ...target], {
        cwd: pins,
        env: { CGO_ENABLED: '0' },
        deadlineMs: buildDeadlineMs,
      });
    },
  });
  const tree = await unpackedTree({
    packages,
    folder: cacheFolder,
    restarting: ['usr/bin/buildah', 'usr/bin/conmon', 'usr/bin/crun', 'usr/bin/podman'],
    report,
  });
  return {
    compose: join(built, 'docker-compose'),
    tree,
    environment: { ...treeEnvironment(tree), ...containerSettings(containersHome, join(runRoot, 'storage')) },
  };
}

/**
 * Writes podman's settings below a folder, and returns the environment that names them. Control groups are not used, so
 * limits of memory are not enforced. Containers, volumes and networks are known in this run only; images are kept.
 */
export function podmanSettings(folder: string, { tree, environment }: Programs): Record<string, string> {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const crun = join(bin, 'crun');
  writeFileSync(crun, `#!/bin/sh\nexec ${join(tree, 'usr/bin/crun')} --cgroup-manager=disabled "$@"\n`, {
    mode: 0o755,
  });
  // A package names this program `iptables` when it is installed; it acts as its name says.
  for (const name of ['iptables', 'ip6tables'])
    symlinkSync(join(tree, 'usr/sbin/xtables-nft-multi'), join(bin, name));
  // What podman does when a container ends does not have the environment of the command that started it.
  const kept = {
    LD_LIBRARY_PATH: environment['LD_LIBRARY_PATH'],
    CONTAINERS_STORAGE_CONF: environment['CONTAINERS_STORAGE_CONF'],
    XTABLES_LIBDIR: libraryFolders(tree)
      .map(each => join(each, 'xtables'))
      .join(':'),
    // It runs health checks with systemd only.
    DISABLE_HC_SYSTEMD: 'true',
  };
  const variables = Object.entries(kept).map(([name, value]) => `${name}=${value}`);
  const file = join(folder, 'containers.conf');
  writeFileSync(
    file,
    `[containers]
cgroups = "disabled"
cgroupns = "host"
default_ulimits = ["nofile=20000:20000", "nproc=32768:32768"]
log_driver = "k8s-file"
[network]
network_backend = "netavark"
network_config_dir = "${join(folder, 'networks')}"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
env = ${JSON.stringify(variables)}
runtime = "crun"
conmon_path = ["${join(tree, 'usr/bin/conmon')}"]
helper_binaries_dir = ["${join(tree, 'usr/lib/podman')}"]
tmp_dir = "${join(runRoot, 'libpod')}"
volume_path = "${join(folder, 'volumes')}"
[engine.runtimes]
crun = ["${crun}"]
`,
  );
  return { CONTAINERS_CONF: file };
}
