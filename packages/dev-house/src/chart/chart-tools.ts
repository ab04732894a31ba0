import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../project-root.ts';

/** The programs that the chart is checked with, each in the version that `helm/tools` pins. */
export interface ChartTools {
  readonly helm: string;
  readonly helmUnittest: string;
  readonly kubernetesValidate: string;
}

const pins = join(projectRoot, 'helm/tools');
const cache = join(projectRoot, 'node_modules/.cache/chart-tools');
const buildDeadlineMs = 900_000;

/**
 * Compiling takes most of the time of a first run, so it is done at its cheapest: nothing is optimised, and debuggers
 * get nothing. Helm takes the release of Kubernetes that it renders for from its linker.
 */
const buildArgs = [
  '-p=2',
  '-buildvcs=false',
  '-mod=readonly',
  '-gcflags=all=-N -l -dwarf=false',
  '-ldflags=-s -w -X helm.sh/helm/v3/pkg/chartutil.k8sVersionMinor=35',
];

/** Says in a sentence why the chart cannot be checked on this machine, if it cannot. */
export function chartObstacle(): string | undefined {
  const go = spawnSync('go', ['list', '-m'], { cwd: pins, encoding: 'utf8' });
  if (go.error) return 'Checking the chart needs Go, to build Helm with: install Go 1.26 or later.';
  if (go.status !== 0) return `Checking the chart needs another Go: ${go.stderr.trim()}.`;
  const python = spawnSync('python3', ['-c', 'import venv, ensurepip'], { encoding: 'utf8' });
  if (python.error || python.status !== 0)
    return 'Checking the chart needs Python 3 with venv, for the schemas of Kubernetes: install python3-venv.';
  return undefined;
}

/** Builds or fetches what is not there from an earlier run. */
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
    // Started as a module, because programs of an environment know the folder in which it was made.
    kubernetesValidate: join(environment, 'bin/python3'),
  };
}

/** A folder that is complete or not there: it is made under another name, and named after all that it is made of. */
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
  const beganAt = Date.now();
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  make(unfinished);
  renameSync(unfinished, folder);
  report(`${name} tools made in ${((Date.now() - beganAt) / 1000).toFixed(1)} s`);
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
