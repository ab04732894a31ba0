import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { projectRoot } from '@mailproof/dev-house';

/** Pinned to this release, so that the same seed generates the same requests. */
const version = '4.32.5';
const installDeadlineMs = 300_000;

/**
 * Checks on every answer. Excluded are `positive_data_acceptance`, because a schema cannot express all rules for an
 * address, and the checks across several requests, which our own tests cover with two tenants.
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

/** The generator is not available here; the message says why. */
export class GeneratorMissing extends Error {
  override readonly name = 'GeneratorMissing';
}

/** Finds schemathesis, or installs it into its own environment below `node_modules/.cache/`. */
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

/** Parameters that name an account: any account other than the session's is refused before anything else is read. */
const accountParameters: ReadonlySet<unknown> = new Set([
  '#/components/parameters/AccountHeader',
  '#/components/parameters/AccountParameter',
]);

/**
 * Fetches a document as the system serves it, without the parameters that name an account. Python's generator cannot
 * generate text for a pattern with Unicode properties, so the copy omits such patterns, and input that breaks them is
 * checked by the answer's status only.
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

/** A request that breaks the schema may get one of these: the default ones, and 431 for a query that is too long. */
const settings = `[checks]
negative_data_rejection.expected-statuses = [400, 401, 403, 404, 406, 413, 415, 422, 428, 431]
`;

export interface FuzzOutcome {
  readonly verdict: 'passed' | 'failed' | 'no verdict: the time limit was reached' | 'no verdict: it crashed';
  /** How many operations were called; a run that called none has not passed. */
  readonly operations: number;
  readonly requests: number;
  readonly seconds: number;
}

/** Sends the requests that schemathesis generates, until it ends or the deadline passes. */
export async function runSchemathesis(plan: FuzzPlan): Promise<FuzzOutcome> {
  const startedAt = performance.now();
  const folder = join(plan.reportFile, '..');
  await rm(plan.reportFile, { force: true });
  await writeFile(join(folder, 'schemathesis.toml'), settings);
  const args = [
    'run',
    plan.documentFile,
    ...['--url', plan.baseUrl, '--phases', 'examples,coverage,fuzzing', '--workers', '2'],
    ...['--checks', checks.join(','), '--continue-on-failure', '--warnings', 'off', '--no-color'],
    ...['--max-examples', String(plan.examples), '--seed', String(plan.seed)],
    ...['--generation-database', 'none', '--generation-with-security-parameters', 'false'],
    ...['--request-timeout', '60', '--report', 'ndjson', '--report-ndjson-path', plan.reportFile],
    ...plan.includedIds.flatMap(id => ['--include-operation-id', id]),
    ...Object.entries(plan.headers).flatMap(([name, value]) => ['--header', `${name}:${value}`]),
  ];
  // Runs in a folder with these settings only and bypasses any proxy, so that it reaches only this machine.
  const child = spawn(plan.program, args, {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NO_PROXY: '*',
      PYTHONUNBUFFERED: '1',
      PYTHONDONTWRITEBYTECODE: '1',
      PYTHONPATH: import.meta.dirname,
      SCHEMATHESIS_HOOKS: 'hooks',
    },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGTERM');
  }, plan.deadlineMs);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  return { verdict: verdictOf(code, isLate), seconds, ...(await countRequests(plan.reportFile)) };
}

function verdictOf(code: number | null, isLate: boolean): FuzzOutcome['verdict'] {
  if (isLate) {
    return 'no verdict: the time limit was reached';
  }
  return code === 0 ? 'passed' : code === 1 ? 'failed' : 'no verdict: it crashed';
}

interface ScenarioFinished {
  readonly recorder?: { readonly label?: string; readonly interactions?: object };
}

/** What the report tells of the operations that were called, and how often. */
async function countRequests(reportFile: string): Promise<{ operations: number; requests: number }> {
  const asked = new Set<string>();
  let requests = 0;
  if (existsSync(reportFile)) {
    for await (const line of createInterface(createReadStream(reportFile))) {
      if (!line.startsWith('{"ScenarioFinished"') || !line.endsWith('}')) {
        continue;
      }
      const { ScenarioFinished: event } = JSON.parse(line) as { ScenarioFinished: ScenarioFinished };
      const count = Object.keys(event.recorder?.interactions ?? {}).length;
      if (event.recorder?.label !== undefined && count > 0) {
        asked.add(event.recorder.label);
      }
      requests += count;
    }
  }
  return { operations: asked.size, requests };
}
