import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../project-root.ts';
import type { Manifest } from './manifests.ts';

/** The oldest Kubernetes release that the chart supports, and the newest with schemas. */
const releases = ['1.27', '1.37'];
const deadlineMs = 120_000;

/**
 * Third-party kinds, whose schemas come with their software; the chart's test suites check our manifests of these
 * kinds.
 */
const foreignKinds = new Set(['ScaledObject', 'ServiceMonitor', 'PrometheusRule']);

/** Returns the faults of manifests by the schemas of Kubernetes, including unknown fields. */
export function schemaFaults(
  { kubernetesValidate }: ChartTools,
  rendered: string,
  manifests: readonly Manifest[],
): string[] {
  const scratch = mkdtempSync(join(tmpdir(), 'mailproof-manifests-'));
  const ours = manifests.filter(({ kind }) => !foreignKinds.has(kind)).length;
  try {
    const file = join(scratch, 'rendered.yaml');
    writeFileSync(file, rendered);
    return releases.flatMap(release => {
      const args = ['-m', 'kubernetes_validate', '--strict', '-k', release, file];
      const { stdout, stderr, error } = spawnSync(kubernetesValidate, args, {
        encoding: 'utf8',
        timeout: deadlineMs,
      });
      if (error) throw error;
      const lines = `${stdout}${stderr}`.split('\n');
      const passed = lines.filter(line => line.includes(' passed for resource ')).length;
      const complaints = lines.filter(line => !line.includes(' passed for resource ') && !isForeign(line));
      if (passed === ours) return [];
      return [
        `${passed} of ${ours} manifests are valid in Kubernetes ${release}:\n${complaints.join('\n').trim()}`,
      ];
    });
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function isForeign(line: string): boolean {
  return [...foreignKinds].some(kind => line.includes(`find schema for kind ${kind} `));
}

/** The programs that check the chart, in the versions that `helm/tools` pins. */
export interface ChartTools {
  readonly helm: string;
  readonly helmUnittest: string;
  readonly kubernetesValidate: string;
}

const pins = join(projectRoot, 'helm/tools');
const cache = join(projectRoot, 'node_modules/.cache/chart-tools');
const buildDeadlineMs = 900_000;

/**
 * The first run spends most of its time compiling, so these flags disable optimization and debug information. The
 * linker flag sets the Kubernetes version for which Helm renders.
 */
const buildArgs = [
  '-p=2',
  '-buildvcs=false',
  '-mod=readonly',
  '-gcflags=all=-N -l -dwarf=false',
  '-ldflags=-s -w -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=35',
];

/** Returns a sentence that says why this machine cannot check the chart; undefined if it can. */
export function chartObstacle(): string | undefined {
  const go = spawnSync('go', ['list', '-m'], { cwd: pins, encoding: 'utf8' });
  if (go.error) return 'Checking the chart needs Go, to build Helm with: install Go 1.26 or later.';
  if (go.status !== 0) return `Checking the chart needs another Go: ${go.stderr.trim()}.`;
  const python = spawnSync('python3', ['-c', 'import venv, ensurepip'], { encoding: 'utf8' });
  if (python.error || python.status !== 0)
    return 'Checking the chart needs Python 3 with venv, for the schemas of Kubernetes: install python3-venv.';
  return undefined;
}

/** Builds or fetches the tools that an earlier run did not leave. */
export function provideChartTools(report: (line: string) => void): ChartTools {
  const programs = provide('go', ['go.mod', 'go.sum'], buildArgs, report, folder =>
    run('go', ['build', ...buildArgs, '-o', `${folder}/`, 'tool'], { CGO_ENABLED: '0' }),
  );
  const environment = provide('python', ['requirements.txt'], [], report, folder => {
    run('python3', ['-m', 'venv', folder]);
    run(join(folder, 'bin/python3'), [
      ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'],
      ...['--require-hashes', '--only-binary=:all:', '-r', 'requirements.txt'],
    ]);
  });
  return {
    helm: join(programs, 'helm'),
    helmUnittest: join(programs, 'helm-unittest'),
    // Run as a module, because programs of a virtual environment contain the path where the environment was created.
    kubernetesValidate: join(environment, 'bin/python3'),
  };
}

/**
 * Returns a folder that is always complete: it is built under another name, and its final name contains a hash of its
 * inputs.
 */
function provide(
  name: string,
  files: readonly string[],
  args: readonly string[],
  report: (line: string) => void,
  make: (folder: string) => void,
): string {
  const hash = createHash('sha256').update(args.join('\n'));
  for (const file of files) hash.update(readFileSync(join(pins, file)));
  const folder = join(cache, `${name}-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(folder)) return folder;
  const startedAt = Date.now();
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  make(unfinished);
  renameSync(unfinished, folder);
  report(`${name} tools built in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  return folder;
}

function run(program: string, args: readonly string[], environment: Record<string, string> = {}): void {
  const { status, error, stderr } = spawnSync(program, args, {
    cwd: pins,
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    timeout: buildDeadlineMs,
  });
  if (error || status !== 0) {
    throw new Error(`${program} ${args.slice(0, 2).join(' ')} failed: ${error?.message ?? stderr}`);
  }
}
