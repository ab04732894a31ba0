import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  packagesObstacle,
  projectRoot,
  providedFolder,
  provideHelm,
  runProgram,
} from '@mailproof/dev-house/images';
import { containerSettings, treeEnvironment, unpackedTree } from '../trial/debian-tree.ts';

/** The programs of a cluster, and the environment that they need. */
export interface Programs {
  /** Every part of Kubernetes and kubectl: the first argument chooses the part. */
  readonly kube: string;
  readonly dns: string;
  readonly pause: string;
  readonly helm: string;
  /** The folder of the CNI plugins. */
  readonly cni: string;
  readonly crun: string;
  /** `PATH`, the libraries of the unpacked packages, and where buildah finds its settings and keeps its images. */
  readonly environment: Readonly<Record<string, string>>;
}

const pins = resolve(import.meta.dirname, 'programs');
export const cacheFolder = join(projectRoot, 'node_modules/.cache/cluster');

const packages = [
  'buildah',
  'containerd',
  'containernetworking-plugins',
  'crun',
  'debootstrap',
  'iproute2',
  'nftables',
  'patchelf',
  'prometheus',
] as const;

/** Helm and the cluster's own parts compare versions, which a build of a release sets in this way. */
const versionFlags = ['client-go/pkg/version', 'component-base/version'].map(
  packageName => `-X k8s.io/${packageName}.gitVersion=${kubernetesVersion()}`,
);
const buildArgs = [
  ...['-p=2', '-trimpath', '-buildvcs=false', '-mod=readonly'],
  `-ldflags=${['-s', '-w', ...versionFlags].join(' ')}`,
];
const buildDeadlineMs = 3_600_000;

/** Returns a sentence that says why this machine cannot run a cluster; undefined if it can. */
export function clusterObstacle(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0)
    return 'A cluster needs Linux and root: it makes namespaces and mounts.';
  const packagesMissing = packagesObstacle(['openssl', 'nsenter', 'unshare', 'mount']);
  if (packagesMissing) return `A cluster needs Debian packages, and ${packagesMissing}.`;
  const go = spawnSync('go', ['list', '-m'], { cwd: pins, encoding: 'utf8' });
  if (go.error) return 'A cluster needs Go, to build Kubernetes with: install Go 1.26 or later.';
  return go.status === 0 ? undefined : `A cluster needs another Go: ${go.stderr.trim()}.`;
}

/** Builds or unpacks the programs that an earlier run did not leave. Nothing is installed. */
export async function providePrograms(report: (line: string) => void): Promise<Programs> {
  const built = providedFolder({
    name: 'kubernetes',
    cache: 'cluster',
    pins,
    files: ['go.mod', 'go.sum', 'kube/main.go', 'dns/main.go', 'pause/main.go'],
    settings: buildArgs,
    report,
    make: folder => {
      report('Building Kubernetes and CoreDNS: about 12 minutes of processor time, once.');
      mkdirSync(folder, { recursive: true });
      runProgram('go', ['build', ...buildArgs, '-o', `${folder}/`, './...'], {
        cwd: pins,
        env: { CGO_ENABLED: '0' },
        deadlineMs: buildDeadlineMs,
      });
    },
  });
  const helm = provideHelm(report);
  const tree = await unpackedTree({
    packages,
    folder: cacheFolder,
    restarting: ['usr/bin/buildah'],
    report,
  });
  return {
    kube: join(built, 'kube'),
    dns: join(built, 'dns'),
    pause: join(built, 'pause'),
    helm,
    cni: join(tree, 'usr/lib/cni'),
    crun: join(tree, 'usr/bin/crun'),
    environment: { ...treeEnvironment(tree), ...containerSettings(join(cacheFolder, 'buildah')) },
  };
}

/** The version of Kubernetes that `go.mod` pins, such as `v1.35.4`. */
function kubernetesVersion(): string {
  const version = /^\s*k8s\.io\/kubernetes (v\S+)$/m.exec(readFileSync(join(pins, 'go.mod'), 'utf8'))?.[1];
  if (!version) throw new Error('programs/go.mod names no k8s.io/kubernetes.');
  return version;
}
