import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { projectRoot } from '../project-root.ts';

const { default: Sequencer } = createRequire(import.meta.url)(
  '@jest/test-sequencer',
) as typeof import('@jest/test-sequencer');

/**
 * The slowest files, as `npm test -- --profile` shows them. Most of their time is waiting, so they start first: started
 * last, each would delay the end of the run while the other workers have nothing left.
 */
const slowest = [
  'services/mcp-server/test/staying-connected/staying-connected.test.ts',
  'services/gateway/test/operations/validation-job-runs.test.ts',
  'packages/reliability/test/faults.test.ts',
  'services/gateway/test/sdks.test.ts',
  'services/gateway/test/slow-uploads.test.ts',
  'services/validation-engine/test/later-recipients.test.ts',
  'services/gateway/test/guide-blocks.test.ts',
  'services/validation-engine/test/bench.test.ts',
  'services/validation-engine/test/job-intake.test.ts',
  'services/gateway/test/step-faults.test.ts',
  'services/gateway/test/stripe-faults.test.ts',
  'services/webhook-dispatcher/test/pushes.test.ts',
  'services/enrichment/test/import.test.ts',
  'services/validation-engine/test/chance-hits.test.ts',
  'services/validation-engine/test/unsteady-hosts.test.ts',
  'services/validation-engine/test/unruly-hosts.test.ts',
  'services/gateway/test/job-faults.test.ts',
  'services/validation-engine/test/catalog.test.ts',
  'packages/web-app/test/people.browser.ts',
  'packages/web-app/test/leads.browser.ts',
  'packages/docs-site/test/docs.browser.ts',
  'packages/web-app/test/validations.browser.ts',
  'packages/web-app/test/crm.browser.ts',
].map(file => join(projectRoot, file));

const missing = slowest.filter(file => !existsSync(file));
if (missing.length > 0) throw new Error(`Remove files that do not exist from the slowest: ${missing}`);

type Test = Parameters<InstanceType<typeof Sequencer>['sort']>[0][number];

/** Starts the slowest files first, then those that share a house, so that it can stop, then the others in Jest's order. */
// biome-ignore lint/style/noDefaultExport: Jest expects a sequencer as the default export.
export default class SlowestFirst extends Sequencer {
  override async sort(tests: Test[]): Promise<Test[]> {
    const ranks = new Map(tests.map(test => [test, rankOf(test.path)]));
    const rank = (test: Test) => ranks.get(test) ?? 0;
    return (await super.sort(tests)).toSorted((one, other) => rank(one) - rank(other));
  }
}

function rankOf(file: string): number {
  if (slowest.includes(file)) return 0;
  return [file, ...helpersOf(file)].some(opensSharedHouse) ? 1 : 2;
}

/** Matches a use of the functions that open a shared house, and not their definition. */
function opensSharedHouse(file: string): boolean {
  return /(?<!function )\bopenShared\w*House\b/.test(readFileSync(file, 'utf8'));
}

/** Returns the files in its own folders that a test file imports. */
function helpersOf(file: string): string[] {
  return [...readFileSync(file, 'utf8').matchAll(/ from '(\.[^']+\.ts)'/g)]
    .map(([, path = '']) => join(dirname(file), path))
    .filter(path => existsSync(path));
}
