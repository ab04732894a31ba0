import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '@mailproof/dev-house/images';
import { parse } from 'yaml';
import { readTrialArguments, type TrialArguments } from '../trial/arguments.ts';
import { containerGroups, leftovers, runInside } from '../trial/namespaces.ts';
import { reportSince } from '../trial/outcomes.ts';
import type { Settings } from './inside.ts';
import { composeObstacle, providePrograms } from './programs.ts';
import { trials } from './trials.ts';

const usage = `Usage: pnpm compose:try [options]

Runs the four commands of docs/run-with-compose.md, as written, in a clone of this checkout, with Docker Compose on podman;
then runs trials on the installation: the update and the backup that the documentation describes. Ends with a table. It
builds all images, for the update a second time; what an earlier run has built is not built again. It needs Linux on
Debian, root, Go 1.26 and 6 GB of memory. Nothing is installed, and all processes, mounts and networks end with the command.

  --only <names>  run these trials, separated by commas, after the four commands
  --keep          keep the installation until Ctrl-C after the trials, and print how to use it
  --list          print the trials
  --help          print this

Exit codes:
  0  all trials passed
  1  a trial failed, or the installation could not start
  2  wrong usage
`;

/** A run that hangs is ended: ample for three times the usual time. */
const deadlineMs = 5_400_000;
const startedAt = Date.now();
const report = reportSince(startedAt);

const asked = readTrialArguments(process.argv.slice(2), usage, trials);
process.exitCode = typeof asked === 'number' ? asked : await run(asked);

async function run({ only, keep }: TrialArguments): Promise<number> {
  const obstacle = composeObstacle();
  if (obstacle !== undefined) {
    console.error(obstacle);
    return 1;
  }
  const programs = await providePrograms(report);
  Object.assign(process.env, programs.environment);
  const folder = mkdtempSync(join(tmpdir(), 'mailproof-compose-try-'));
  const groups = containerGroups();
  try {
    const settings: Settings = { programs, folder, only, keep, startedAt, images: otherImages() };
    const settingsFile = join(folder, 'settings.json');
    writeFileSync(settingsFile, JSON.stringify(settings));
    const onEntry = (enter: string): void => {
      const docker = 'env DOCKER_HOST=unix:///run/podman.sock';
      console.log(
        `To look into the installation:\n${enter} --wd=${folder}/mailproof ${docker} ${programs.compose} ps`,
      );
    };
    const code = await runInside({
      program: 'compose/inside.ts',
      settingsFile,
      deadlineMs,
      keep,
      onEntry,
    });
    return leftovers(folder, groups) ? 1 : code;
  } finally {
    // After a kill, the last processes may still be ending.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
  }
}

/**
 * The images that `docker-compose.yml` names without building them, by their service. The trials turn on no profile of
 * one.
 */
function otherImages(): Record<string, string> {
  const file = readFileSync(join(projectRoot, 'docker-compose.yml'), 'utf8');
  // The file has anchors that are merged into services.
  const { services } = parse(file, { merge: true }) as {
    services: Record<string, { image: string; build?: object; profiles?: string[] }>;
  };
  return Object.fromEntries(
    Object.entries(services).flatMap(([name, { image, build, profiles }]) =>
      build || profiles ? [] : [[name, image]],
    ),
  );
}
