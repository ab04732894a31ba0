import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, globSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { runQuietly } from './run-quietly.mjs';

/**
 * Runs tests of an earlier release, with its own code, on the schema of this one (docs/upgrading.md). During a rollout,
 * the earlier release continues to work on tables that were already migrated, and no other test shows whether it can.
 * Everything happens in a separate checkout, which is deleted afterward.
 */
const help = `Usage: pnpm test:earlier-release <tag or commit> [-- <arguments for Jest>]

  pnpm test:earlier-release v1.2.0
  pnpm test:earlier-release v1.2.0 -- --selectProjects gateway --testPathPatterns operations`;

/**
 * The tests that read and write tables most, except those that compare a schema with the tables, which cannot pass
 * here.
 */
const coreTests = [
  ...['--selectProjects', 'credit-ledger', 'gateway', 'validation-engine', 'enrichment'],
  ...['--testPathPatterns', '(store|histories|audit|http.*|idempotency|billing|operations/.*)\\.test\\.ts$'],
  ...['--testNamePattern', '^(?!.*(Prisma schema|covers every column))'],
];

const { positionals } = parseArgs({ allowPositionals: true });
const [ref, ...jestArgs] = positionals;
if (!ref) {
  console.error(help);
  process.exit(2);
}
const root = execFileSync('git', ['rev-parse', '--show-toplevel']).toString().trim();
const commit = execFileSync('git', ['rev-parse', '--verify', `${ref}^{commit}`])
  .toString()
  .trim();
const checkout = join(realpathSync(mkdtempSync(join(tmpdir(), 'mailproof-earlier-'))), 'checkout');
const minuteMs = 60_000;

try {
  // A clone, because a worktree that remains after a kill would interfere with its repository.
  execFileSync('git', ['clone', '--quiet', '--shared', '--no-checkout', root, checkout]);
  execFileSync('git', ['checkout', '--quiet', '--detach', commit], { cwd: checkout });
  const newer = bringMigrations();
  if (newer.length === 0) console.log('There is no migration that this release does not have itself.');
  for (const path of newer) console.log(`newer than this release: ${path}`);
  const env = {
    ...process.env,
    CI: 'true',
    PATH: `${join(checkout, 'node_modules/.bin')}:${process.env.PATH}`,
    TURBO_TELEMETRY_DISABLED: '1',
  };
  const options = { cwd: checkout, env, timeoutMs: 10 * minuteMs };
  const pnpm = join(root, 'node_modules/.bin/pnpm');
  await runQuietly(
    'Installing its packages',
    pnpm,
    ['install', '--frozen-lockfile', '--prefer-offline'],
    options,
  );
  await runQuietly('Generating its clients', pnpm, ['exec', 'turbo', 'run', 'generate'], options);
  execFileSync('jest', ['--ci', '--maxWorkers=2', ...(jestArgs.length > 0 ? jestArgs : coreTests)], {
    cwd: checkout,
    env: { ...env, NODE_OPTIONS: '--experimental-vm-modules --disable-warning=ExperimentalWarning' },
    stdio: 'inherit',
    timeout: 30 * minuteMs,
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(dirname(checkout), { recursive: true, force: true });
}

/**
 * Copies our migrations to where the earlier release's tests look for theirs, and returns those that it does not have.
 */
function bringMigrations() {
  const newer = [];
  for (const path of globSync('services/*/migrations/*.sql', { cwd: root }).sort()) {
    const service = join(checkout, path, '../..');
    if (!existsSync(join(service, 'package.json'))) continue;
    if (!existsSync(join(checkout, path))) newer.push(path);
    cpSync(join(root, path), join(checkout, path));
  }
  return newer;
}
