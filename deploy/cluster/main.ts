import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '@mailproof/dev-house/images';
import { parse } from 'yaml';
import { version } from '../smoke/build-images.ts';
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

const options = {
  only: { type: 'string' },
  keep: { type: 'boolean', default: false },
  'no-build': { type: 'boolean', default: false },
  list: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** A run that hangs is ended: ample for three times the usual time. */
const deadlineMs = 3_600_000;
const stopDeadlineMs = 60_000;
const startedAt = Date.now();

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];
  try {
    ({ values } = parseArgs({ args, options }));
    for (const name of values.only?.split(',') ?? [])
      if (!trials.some(trial => trial.name === name))
        throw new Error(`There is no trial ${name}; --list prints them.`);
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  if (values.help) process.stdout.write(usage);
  else if (values.list) for (const { name, about } of trials) console.log(`${name.padEnd(12)}${about}`);
  else return run(values.only?.split(','), values);
  return 0;
}

async function run(
  only: readonly string[] | undefined,
  { keep, 'no-build': noBuild }: { readonly keep: boolean; readonly 'no-build': boolean },
): Promise<number> {
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
  try {
    const settings: Settings = { programs, folder, only, keep, version: version(), startedAt };
    writeFileSync(join(folder, 'settings.json'), JSON.stringify(settings));
    const code = await runInside(settings);
    return leftovers(folder) ? 1 : code;
  } finally {
    // After a kill, the last processes of the cluster may still be ending.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
  }
}

/**
 * Runs the rest of the command in namespaces for its own processes, mounts and networks. They end with it, even if it is
 * killed, and everything in them ends too.
 */
async function runInside({ folder, keep, programs: { kube } }: Settings): Promise<number> {
  const namespaces = [
    '--mount',
    '--net',
    '--pid',
    '--uts',
    '--ipc',
    '--fork',
    '--kill-child',
    '--mount-proc',
  ];
  const inside = resolve(import.meta.dirname, 'inside.ts');
  // The shell is the first process of its namespace, which must collect the orphans that end.
  // A signal ends the first wait early, and the second one has the exit code; otherwise the first one has it.
  const script =
    '"$@" <&0 & trap "kill -TERM $!" TERM INT; wait $!; code=$?; wait $! 2>/dev/null; again=$?; [ $again = 127 ] || code=$again; exit $code';
  const child = spawn(
    'unshare',
    [...namespaces, 'bash', '-c', script, 'cluster', process.execPath, inside, join(folder, 'settings.json')],
    { stdio: ['pipe', 'inherit', 'inherit'] },
  );
  child.stdin.on('error', () => {});
  // `unshare` passes no signal on; the end of the input stops the rest, also when this process is killed.
  const stop = (): void => {
    child.stdin.end();
    setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs).unref();
  };
  // A cluster that is kept runs until Ctrl-C.
  const timer = setTimeout(() => {
    if (keep) return;
    console.error('The command took too long, and ends.');
    child.kill('SIGKILL');
  }, deadlineMs);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  if (keep) printEntry(child.pid ?? 0, folder, kube);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  return code ?? 1;
}

/** Prints how another terminal uses kubectl: the namespaces are those of the child of `unshare`. */
function printEntry(unshare: number, folder: string, kube: string): void {
  const enter = `nsenter --target $(pgrep --parent ${unshare}) --mount --net --pid`;
  const kubeconfig = join(folder, 'certificates/admin.kubeconfig');
  console.log(`To look into the cluster:\n${enter} env KUBECONFIG=${kubeconfig} ${kube} kubectl get pods -A`);
}

/** Prints what the cluster left on this machine; the namespaces should have ended all of it. */
function leftovers(folder: string): boolean {
  const mounts = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .filter(line => line.includes(folder));
  for (const mount of mounts) console.error(`A mount is left: ${mount}`);
  return mounts.length > 0;
}

/** The references of the chart's bundled stores. */
function storeImages(): { postgres: string; redis: string } {
  const values = parse(readFileSync(join(projectRoot, 'helm/mailproof/values.yaml'), 'utf8')) as Record<
    'postgres' | 'redis',
    { bundled: { image: string } }
  >;
  return { postgres: values.postgres.bundled.image, redis: values.redis.bundled.image };
}

function report(line: string): void {
  console.log(`${((Date.now() - startedAt) / 1000).toFixed(0).padStart(5)} s  ${line}`);
}
