import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/*
 * The commands that run from a fresh clone start here, with any Node that the machine has. This installs and generates
 * what is missing, then hands over to the project's Node. Therefore this file and its imports are JavaScript that an older Node can run.
 */

const root = fileURLToPath(new URL('..', import.meta.url));
const programs = {
  start: 'packages/dev-house/src/start.ts',
  test: 'packages/dev-house/src/test.ts',
  'test:mta': 'packages/dev-house/src/test-mta.ts',
  cluster: 'deploy/cluster/main.ts',
  'compose:try': 'deploy/compose/main.ts',
};
const nodeOldest = [20, 19];
const parentCheckMs = 500;
/** The trials of deployments delete gigabytes when they are stopped. */
const exitDeadlineMs = 300_000;

const [command, ...args] = process.argv.slice(2);
process.exitCode = await main();

async function main() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < nodeOldest[0] || (major === nodeOldest[0] && minor < nodeOldest[1])) {
    console.error(`Mailproof needs Node ${nodeOldest.join('.')} or later; this is ${process.versions.node}.`);
    return 1;
  }
  if (!Object.hasOwn(programs, command)) {
    console.error(`Usage: node scripts/bootstrap.mjs <${Object.keys(programs).join('|')}> [arguments]`);
    return 1;
  }
  const environment = {
    // The modules of our processes are stripped and compiled once, then cached: a house starts in 3 s instead of 5.
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node-compile'),
    ...process.env,
    MAILPROOF_BEGAN_AT: String(Date.now()),
    PATH: `${join(root, 'node_modules/.bin')}${delimiter}${process.env.PATH ?? ''}`,
    TURBO_TELEMETRY_DISABLED: '1',
    DO_NOT_TRACK: '1',
  };
  // Imported late: a Node that is too old might not even be able to parse it.
  const { prepareCheckout } = await import('./prepare-checkout.mjs');
  try {
    const { documentation } = await prepareCheckout(root, environment);
    // A start serves its pages when they are built; the tests need them.
    if (command === 'start') documentation.catch(error => console.error(error.message));
    else await documentation;
  } catch (error) {
    console.error(error.message);
    return 1;
  }
  return handOver(environment);
}

/**
 * Runs the program and exits with its exit code. Signals to this process are passed on to the program. npm can be
 * stopped in ways that reach no other process, so the end of the parent counts as a signal too.
 */
async function handOver(environment) {
  const node = join(root, 'node_modules/.bin/node');
  const child = spawn(node, [join(root, programs[command]), ...args], {
    cwd: root,
    env: environment,
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => pass(child, signal));
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (environment.npm_lifecycle_event && process.ppid !== parent) pass(child, 'SIGTERM');
  }, parentCheckMs);
  try {
    const [code, signal] = await once(child, 'exit');
    return code ?? 128 + constants.signals[signal];
  } catch (error) {
    console.error(
      `The Node of the project does not run (${error.message}); delete node_modules and try again.`,
    );
    return 1;
  } finally {
    clearInterval(watch);
  }
}

/** Passes a signal to the program, which shuts down gracefully within a time limit. */
function pass(child, signal) {
  child.kill(signal);
  setTimeout(() => child.kill('SIGKILL'), exitDeadlineMs).unref();
}
