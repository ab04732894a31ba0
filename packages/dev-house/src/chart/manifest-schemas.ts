import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../project-root.ts';
import { providedFolder, pythonObstacle, runProgram } from '../provided-folder.ts';
import type { Manifest } from './manifests.ts';

/** The oldest Kubernetes release that the chart supports, and the newest with schemas. */
const releases = ['1.27', '1.37'];
/** Checks run at the lowest priority. */
const deadlineMs = 600_000;

/**
 * Third-party kinds, whose schemas come with their software; the chart's test suites check our manifests of these
 * kinds.
 */
const foreignKinds = new Set(['HTTPRoute', 'ScaledObject', 'ServiceMonitor', 'PrometheusRule']);

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
  /** Renders and lints a chart as Helm does (`helm/tools/chart/main.go`). */
  readonly chart: string;
  readonly helmUnittest: string;
  readonly actionlint: string;
  readonly kubernetesValidate: string;
}

const pins = join(projectRoot, 'helm/tools');

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
  return pythonObstacle('Checking the chart');
}

/** Builds or fetches the tools that an earlier run did not leave. */
export function provideChartTools(report: (line: string) => void): ChartTools {
  const programs = buildPrograms(report, 'go', [
    './chart',
    'github.com/helm-unittest/helm-unittest/cmd/helm-unittest',
    'github.com/rhysd/actionlint/cmd/actionlint',
  ]);
  const environment = providedFolder({
    ...{ cache, pins, report, name: 'python' },
    files: ['requirements.txt'],
    make: folder => {
      runProgram('python3', ['-m', 'venv', folder]);
      runProgram(
        join(folder, 'bin/python3'),
        [
          ...['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check'],
          ...['--require-hashes', '--only-binary=:all:', '-r', 'requirements.txt'],
        ],
        { cwd: pins },
      );
    },
  });
  return {
    chart: join(programs, 'chart'),
    helmUnittest: join(programs, 'helm-unittest'),
    actionlint: join(programs, 'actionlint'),
    // Run as a module, because programs of a virtual environment contain the path where the environment was created.
    kubernetesValidate: join(environment, 'bin/python3'),
  };
}

/** Builds Helm's command line, for a cluster, unless an earlier run did; returns its path. */
export function provideHelm(report: (line: string) => void): string {
  return join(buildPrograms(report, 'helm', ['helm.sh/helm/v3/cmd/helm']), 'helm');
}

const cache = 'chart-tools';

function buildPrograms(report: (line: string) => void, name: string, packages: readonly string[]): string {
  return providedFolder({
    ...{ cache, pins, report, name },
    files: ['go.mod', 'go.sum', 'chart/main.go'],
    settings: [...buildArgs, ...packages],
    make: folder =>
      runProgram('go', ['build', ...buildArgs, '-o', `${folder}/`, ...packages], {
        cwd: pins,
        env: { CGO_ENABLED: '0' },
      }),
  });
}
