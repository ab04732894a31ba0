import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '@mailproof/dev-house';

/** Exactly this release, so that the same seed makes the same requests. */
const version = '4.32.5';
const installDeadlineMs = 300_000;

/**
 * Judged of every answer. What is left out: `positive_data_acceptance`, since a schema cannot say everything that an
 * address must be; the checks over several requests, which our own tests make with two tenants.
 */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
];

/** The generator cannot be had here, for a reason in a sentence. */
export class GeneratorMissing extends Error {
  override readonly name = 'GeneratorMissing';
}

/** Finds schemathesis, or installs it into an environment of its own below `node_modules/.cache/`. */
export function findSchemathesis(): string {
  const environment = join(projectRoot, 'node_modules/.cache/mailproof', `schemathesis-${version}`);
  const program = join(environment, 'bin/schemathesis');
  if (!existsSync(program)) {
    runOrMiss('python3', ['-m', 'venv', '--clear', environment]);
    runOrMiss(join(environment, 'bin/pip'), ['install', '--quiet', `schemathesis==${version}`]);
  }
  return program;
}

function runOrMiss(program: string, args: readonly string[]): void {
  const { status, error, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    timeout: installDeadlineMs,
  });
  if (status !== 0) {
    const why = error?.message ?? stderr.trim().split('\n').at(-1);
    throw new GeneratorMissing(`schemathesis cannot be had: ${program} ${args[0]} failed (${why}).`);
  }
}

export interface FuzzPlan {
  readonly program: string;
  /** A copy of the document that `copyDocument` made. */
  readonly documentFile: string;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly includedIds: readonly string[];
  readonly seed: number;
  readonly examples: number;
  readonly deadlineMs: number;
  readonly reportFile: string;
}

/** Parameters that name an account: any other than the session's own is refused before anything else is read. */
const accountParameters: ReadonlySet<unknown> = new Set([
  '#/components/parameters/AccountHeader',
  '#/components/parameters/AccountParameter',
]);

/**
 * Fetches a document as the system serves it, without the parameters that name an account. Python's generator cannot make up text for a pattern with Unicode
 * properties, so such patterns are left out of the copy, and what breaks them is judged by the answer's status alone.
 */
export async function copyDocument(url: string, file: string): Promise<void> {
  const response = await fetch(url);
  const text = JSON.stringify(await response.json(), (name, value: unknown) => {
    if (name === 'parameters' && Array.isArray(value)) {
      return value.filter((each: { $ref?: string }) => !accountParameters.has(each.$ref));
    }
    return name === 'pattern' && typeof value === 'string' && value.includes('\\p{') ? undefined : value;
  });
  await writeFile(file, text);
}

/** Sends what schemathesis makes up, and answers how many operations were asked and whether all was well. */
export async function runSchemathesis(plan: FuzzPlan): Promise<{ isClean: boolean; operations: number }> {
  await rm(plan.reportFile, { force: true });
  const args = [
    'run',
    plan.documentFile,
    ...['--url', plan.baseUrl, '--phases', 'examples,coverage,fuzzing', '--workers', '1'],
    ...['--checks', checks.join(','), '--continue-on-failure', '--warnings', 'off', '--no-color'],
    ...['--max-examples', String(plan.examples), '--seed', String(plan.seed)],
    ...['--generation-database', 'none', '--generation-with-security-parameters', 'false'],
    ...['--request-timeout', '60', '--report', 'ndjson', '--report-ndjson-path', plan.reportFile],
    ...plan.includedIds.flatMap(id => ['--include-operation-id', id]),
    ...Object.entries(plan.headers).flatMap(([name, value]) => ['--header', `${name}:${value}`]),
  ];
  // In a folder without settings of its own, and past any proxy: only this machine is to be reached.
  const child = spawn(plan.program, args, {
    cwd: join(plan.reportFile, '..'),
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], NO_PROXY: '*', PYTHONUNBUFFERED: '1' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const timer = setTimeout(() => child.kill('SIGTERM'), plan.deadlineMs);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  return { isClean: code === 0, operations: await countOperations(plan.reportFile) };
}

/** How many operations the report tells of; a run that asked nothing has not passed. */
async function countOperations(reportFile: string): Promise<number> {
  const asked = new Set<string>();
  if (existsSync(reportFile)) {
    for (const line of (await readFile(reportFile, 'utf8')).split('\n').filter(Boolean)) {
      const event = JSON.parse(line) as { ScenarioFinished?: { recorder?: { label?: string } } };
      const label = event.ScenarioFinished?.recorder?.label;
      if (label !== undefined) {
        asked.add(label);
      }
    }
  }
  return asked.size;
}
