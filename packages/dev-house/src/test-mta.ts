import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type FetchedMailServers,
  fetchMailServer,
  type MailServerKind,
  type MailServerPackages,
  mailServerKinds,
  mailServersVariable,
  obstacle,
} from './mail-server-packages.ts';
import { stopRequested } from './processes.ts';
import { projectRoot } from './project-root.ts';
import { runStep } from './run-step.ts';
import { startKeeper } from './start-keeper.ts';
import { type Counts, countsLine, type JestReport, judgeJest, sum } from './test-counts.ts';

const help = `Usage: pnpm test:mta [<test> …] [-- <arguments for Jest>]

Validates addresses at real mail servers on loopback: ${mailServerKinds.join(', ')}. Runs all
tests, or those whose names start with:
  pnpm test:mta
  pnpm test:mta exim postfix-limits
Debian's packages are downloaded and unpacked, not installed. Needs root, on Debian or Ubuntu.
With CI=true, an unavailable server fails the run.`;

const deadlineMs = 15 * 60_000;

await main();

async function main(): Promise<void> {
  const { values, tokens } = parseArgs({
    options: { help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
    tokens: true,
  });
  if (values.help) return console.log(help);
  const split = tokens.find(({ kind }) => kind === 'option-terminator')?.index ?? Number.POSITIVE_INFINITY;
  const positionals = tokens.filter(token => token.kind === 'positional');
  const named = positionals.filter(({ index }) => index < split).map(({ value }) => value);
  const jestArgs = positionals.filter(({ index }) => index > split).map(({ value }) => value);
  const unknown = named.find(name => !mailServerKinds.some(kind => isTestOf(kind, name)));
  if (unknown !== undefined) {
    console.error(`Unknown server "${unknown}".\n${help}`);
    process.exit(1);
  }
  const kinds = mailServerKinds.filter(
    kind => named.length === 0 || named.some(name => isTestOf(kind, name)),
  );
  const { fetched, skipped } = await fetchAll(kinds);
  const counts = [{ passed: 0, failed: process.env['CI'] === 'true' ? skipped : 0 }];
  if (Object.keys(fetched).length > 0) counts.push(await runJest(fetched, named, jestArgs));
  const total = sum(counts);
  if (named.length > 0 || jestArgs.length > 0) console.log('\nOnly part of the tests ran.');
  if (total.passed + total.failed === 0) console.error('\nNo test ran.');
  console.log(`\n${countsLine(total)}`);
  process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
  // Otherwise the channel to the bootstrap script would keep this process alive.
  process.exit();
}

interface Fetching {
  readonly fetched: FetchedMailServers;
  readonly skipped: number;
}

/** Fetches each kind of server and prints what will be tested, or why it will not be. */
async function fetchAll(kinds: readonly MailServerKind[]): Promise<Fetching> {
  const fetched: Partial<Record<MailServerKind, MailServerPackages>> = {};
  const reason = obstacle();
  for (const kind of kinds) {
    try {
      if (reason !== undefined) throw new Error(reason);
      const server = await fetchMailServer(kind, line => console.log(line));
      fetched[kind] = server;
      console.log(`${kind}: ${server.versions.join(', ')}`);
    } catch (error) {
      console.log(`${kind}: skipped, because ${(error as Error).message.trim()}`);
    }
  }
  return { fetched, skipped: kinds.length - Object.keys(fetched).length };
}

function isTestOf(kind: MailServerKind, name: string): boolean {
  return name === kind || name.startsWith(`${kind}-`);
}

async function runJest(
  fetched: FetchedMailServers,
  named: readonly string[],
  jestArgs: readonly string[],
): Promise<Counts> {
  const kinds = Object.keys(fetched) as MailServerKind[];
  const tests = named.filter(name => kinds.some(kind => isTestOf(kind, name)));

  const scratch = await mkdtemp(join(tmpdir(), 'mailproof-report-'));
  const reportFile = join(scratch, 'jest.json');
  const cancellation = new AbortController();
  stopRequested().then(reason => {
    console.error(`\nStopping, because of ${reason}.`);
    cancellation.abort();
  });
  const keeper = await startKeeper({
    projectRoot,
    stateDir: scratch,
    installationId: 'tests',
    isDurable: false,
    removeStateDirAfterward: true,
  });
  try {
    const { exitCode } = await runStep(
      {
        name: 'jest',
        command: [
          ...['jest', '--config', 'jest.mta.config.mjs', '--ci', '--maxWorkers=2', '--json'],
          `--outputFile=${reportFile}`,
          `--testPathPatterns=/real-servers/(${(tests.length > 0 ? tests : kinds).join('|')})[^/]*$`,
          ...jestArgs,
        ],
        deadlineMs,
        environment: { [mailServersVariable]: JSON.stringify(fetched) },
      },
      keeper,
      cancellation.signal,
    );
    if (!existsSync(reportFile)) {
      console.error('Jest ended without a report.');
      return { passed: 0, failed: 1 };
    }
    const report = JSON.parse(readFileSync(reportFile, 'utf8')) as JestReport;
    const verdict = judgeJest(report, exitCode, []);
    const complaints = jestArgs.length > 0 ? [] : [...verdict.complaints, ...untested(report, fetched)];
    for (const complaint of complaints) console.error(complaint);
    return { passed: verdict.passed, failed: verdict.failed + untested(report, fetched).length };
  } finally {
    await keeper.stop();
    await rm(scratch, { recursive: true, force: true });
  }
}

/** Lists the fetched kinds without a test: each kind must have at least one test file with its name. */
function untested(report: JestReport, fetched: FetchedMailServers): string[] {
  return Object.keys(fetched)
    .filter(kind => !report.testResults.some(({ name }) => name.includes(`/${kind}`)))
    .map(kind => `No test of ${kind} ran.`);
}
