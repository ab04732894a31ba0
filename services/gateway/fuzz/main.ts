import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type House, startHouse } from '@mailproof/dev-house';
import { appOperations, type Operation, restOperations } from '@mailproof/shared-types';
import { openKey, openSession } from './credentials.ts';
import { readOptions } from './options.ts';
import { copyDocument, findSchemathesis, GeneratorMissing, runSchemathesis } from './schemathesis.ts';

/** Operations that only our own tests call, each with the reason. */
const leftOut: Readonly<Record<string, string>> = {
  'sign-out': 'it ends the session that all other requests need',
  'sign-out-everywhere': 'it ends the session that all other requests need',
  'delete-account': 'it ends the account that all other requests need',
  'stop-notice-mail': 'a GET of its URL is the link of the mail, which the document does not describe',
};

const options = readOptions(process.argv.slice(2));
const stateDir = await mkdtemp(join(tmpdir(), 'mailproof-fuzz-'));
let house: House | undefined;
try {
  const program = findSchemathesis();
  process.stdout.write(`Seed ${options.seed}. Starting the house.\n`);
  house = await startHouse({
    stateDir,
    lab: true,
    quiet: true,
    env: {
      // Most generated requests are wrong, and all come from one address.
      gateway: {
        AUTH_FAILURES_PER_MINUTE_MAX: '1000000',
        PUBLIC_REQUESTS_PER_HOUR_MAX: '1000000',
        SESSION_REQUESTS_PER_SECOND_MAX: '100000',
        VISITOR_REQUESTS_PER_MINUTE_MAX: '1000000',
      },
    },
  });
  process.exitCode = (await fuzzAll(program, house)) ? 0 : 1;
} catch (error) {
  if (!(error instanceof GeneratorMissing)) {
    throw error;
  }
  process.stdout.write(`Skipped: ${error.message}\n`);
  // The scheduled run must not pass without the generator.
  process.exitCode = process.env['CI'] === 'true' ? 1 : 0;
} finally {
  await house?.stop();
  await rm(stateDir, { recursive: true, force: true });
}

async function fuzzAll(program: string, running: House): Promise<boolean> {
  const [gatewayUrl = ''] = running.gatewayUrls;
  const documents = [
    { name: 'openapi.json', base: '/api/v1', operations: restOperations, open: openKey },
    { name: 'openapi-app.json', base: '/app/v1', operations: appOperations, open: openSession },
  ];
  const lines: string[] = [];
  let isClean = true;
  for (const { name, base, operations, open } of documents) {
    if (options.document !== undefined && options.document !== name) {
      continue;
    }
    const includedIds = idsOf(operations);
    if (includedIds.length === 0) {
      process.stdout.write(`${name} has no operation to ask.\n`);
      continue;
    }
    const documentFile = join(stateDir, name);
    await copyDocument(`${gatewayUrl}/${name}`, documentFile);
    const outcome = await runSchemathesis({
      program,
      documentFile,
      baseUrl: `${gatewayUrl}${base}`,
      headers: await open(running),
      includedIds,
      seed: options.seed,
      examples: options.examples,
      deadlineMs: options.timeLimitMinutes * 60_000,
      reportFile: join(stateDir, `${name}.ndjson`),
    });
    const isWhole = outcome.operations === includedIds.length;
    isClean &&= outcome.verdict === 'passed' && isWhole;
    lines.push(
      `${name}: ${outcome.verdict}; ${outcome.operations} of ${includedIds.length} operations, ${outcome.requests} requests, ${outcome.seconds} s`,
    );
  }
  process.stdout.write(`\n${lines.join('\n')}\nseed ${options.seed}\n`);
  return isClean && lines.length > 0;
}

function idsOf(operations: readonly Operation[]): string[] {
  const chosen = operations
    .map(({ id }) => id)
    .filter(id => options.operation.length === 0 || options.operation.includes(id));
  for (const id of chosen.filter(each => each in leftOut)) {
    process.stdout.write(`${id} is left out: ${leftOut[id]}.\n`);
  }
  return chosen.filter(id => !(id in leftOut));
}
