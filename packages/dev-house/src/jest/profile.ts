import { appendFileSync, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { projectRoot } from '../project-root.ts';

/** Names the file in which workers note where their time goes. Unset without `--profile`. */
export const profileVariable = 'MAILPROOF_TEST_PROFILE';

/** Where the time of one test file went, in milliseconds. */
export interface FileProfile {
  readonly file: string;
  /** Loading the file and what it imports. */
  readonly importMs: number;
  /** In `beforeAll` and `afterAll`: starting and stopping houses and databases. */
  readonly setUpMs: number;
  readonly wholeMs: number;
  /** Processor time of the worker, which excludes the services that it has started. */
  readonly processorMs: number;
}

/** Appends the profile of a test file, if a profile is asked for. Lines of several workers do not mix. */
export function noteProfile(profile: FileProfile): void {
  const file = process.env[profileVariable];
  if (file) appendFileSync(file, `${JSON.stringify(profile)}\n`);
}

const slowestMax = 30;

/** The sums and the slowest files as a table. */
export async function profileOf(file: string): Promise<string> {
  const text = existsSync(file) ? await readFile(file, 'utf8') : '';
  const files = text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as FileProfile)
    .toSorted((one, other) => other.wholeMs - one.wholeMs);
  const total = (of: (profile: FileProfile) => number) => files.reduce((sum, each) => sum + of(each), 0);
  const row = (whole: number, importing: number, setUp: number, processor: number, name: string) =>
    `${[whole, importing, setUp, processor].map(ms => (ms / 1000).toFixed(1).padStart(9)).join('')}  ${name}`;
  return [
    'Seconds of each test file; one file waits while others run.',
    `${['whole', 'import', 'set-up', 'processor'].map(title => title.padStart(9)).join('')}  file`,
    row(
      total(each => each.wholeMs),
      total(each => each.importMs),
      total(each => each.setUpMs),
      total(each => each.processorMs),
      `all ${files.length}`,
    ),
    ...files
      .slice(0, slowestMax)
      .map(each =>
        row(each.wholeMs, each.importMs, each.setUpMs, each.processorMs, relative(projectRoot, each.file)),
      ),
  ].join('\n');
}
