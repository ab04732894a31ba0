import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '@mailproof/dev-house/images';
import { parse } from 'yaml';
import { version } from '../smoke/build-images.ts';
import { readTrialArguments, type TrialArguments } from '../trial/arguments.ts';
import { containerGroups, leftovers, runInside } from '../trial/namespaces.ts';
import { reportSince } from '../trial/outcomes.ts';
import type { StoreReferences } from '../trial/stores.ts';
import { imageArchive, makeImages } from './images.ts';
import type { Settings } from './inside.ts';
import { clusterObstacle, providePrograms } from './programs.ts';
import { trials } from './trials.ts';

const usage = `Usage: pnpm cluster [options]

Starts a Kubernetes of two nodes on this machine, builds the images, installs the chart as docs/install-with-helm.md says,
and runs trials on it. Ends with a table. The first run builds Kubernetes and takes up to an hour; later ones about 20
minutes. It needs Linux on Debian, root, Go 1.26 and 8 GB of memory. Nothing is installed, and all processes, mounts and
networks end with the command.

  --only <names>  run these trials, separated by commas, after the installation
  --keep          keep the cluster until Ctrl-C after the trials, and print how to use it
  --no-build      use the images of the run before
  --list          print the trials
  --help          print this

Exit codes:
  0  all trials passed
  1  a trial failed, or the cluster could not start
  2  wrong usage
`;

/** A run that hangs is ended: ample for three times the usual time. */
const deadlineMs = 3_600_000;
const startedAt = Date.now();
const report = reportSince(startedAt);

const asked = readTrialArguments(process.argv.slice(2), usage, trials);
process.exitCode = typeof asked === 'number' ? asked : await run(asked);

async function run({ only, keep, noBuild }: TrialArguments): Promise<number> {
  const obstacle = clusterObstacle();
  if (obstacle !== undefined) {
    console.error(obstacle);
    return 1;
  }
  const programs = await providePrograms(report);
  Object.assign(process.env, programs.environment);
  if (!noBuild) makeImages(programs, version(), storeImages());
  else if (!existsSync(imageArchive)) {
    console.error('An earlier run left no images: leave out --no-build.');
    return 1;
  }
  report('Images ready.');
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-cluster-'));
  const groups = containerGroups();
  try {
    const settings: Settings = { programs, folder, only, keep, startedAt };
    const settingsFile = join(folder, 'settings.json');
    writeFileSync(settingsFile, JSON.stringify(settings));
    const code = await runInside({
      program: 'cluster/inside.ts',
      settingsFile,
      deadlineMs,
      keep,
      onEntry: enter => printEntry(enter, folder, programs.kube),
    });
    return leftovers(folder, groups) ? 1 : code;
  } finally {
    // After a kill, the last processes of the cluster may still be ending.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
  }
}

/** Prints how another terminal uses kubectl. */
function printEntry(enter: string, folder: string, kube: string): void {
  const kubeconfig = join(folder, 'certificates/admin.kubeconfig');
  console.log(`To look into the cluster:\n${enter} env KUBECONFIG=${kubeconfig} ${kube} kubectl get pods -A`);
}

/** The references of the chart's bundled stores. */
function storeImages(): StoreReferences {
  const values = parse(readFileSync(join(projectRoot, 'helm/mailproof/values.yaml'), 'utf8')) as Record<
    'postgres' | 'redis',
    { bundled: { image: string } }
  >;
  return { postgres: values.postgres.bundled.image, redis: values.redis.bundled.image };
}
