import { appendFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { projectRoot } from '../project-root.ts';

/** The variable that names the file in which workers record their times; unset without `--profile`. */
export const profileVariable = 'MAILPROOF_TEST_PROFILE';

/** How one test file spent its time, in milliseconds. */
export interface FileProfile {
  readonly file: string;
  /** Time to load the file and its imports. */
  readonly importMs: number;
  /** Time in `beforeAll` and `afterAll`, which start and stop houses and databases. */
  readonly setUpMs: number;
  readonly wholeMs: number;
  /** CPU time of the worker. */
  readonly processorMs: number;
  /** CPU time of the programs that the worker started: services, mail lab, browser. Linux only. */
  readonly programsMs: number;
}

const clockTickMs = 10;

/**
 * Returns the CPU time that this process's descendants have used so far, in milliseconds; 0 without `/proc` or without
 * profiling.
 */
export function programsProcessorMs(): number {
  if (!process.env[profileVariable] || !existsSync('/proc/self/stat')) return 0;
  const children = new Map<number, number[]>();
  const usedMs = new Map<number, { readonly own: number; readonly ofEnded: number }>();
  for (const name of readdirSync('/proc').filter(each => /^\d+$/.test(each))) {
    const fields = statFieldsOf(name);
    if (fields === undefined) continue;
    const [, parent, ...rest] = fields;
    // Fields 14 to 17 of proc(5): user and system time of the process, and of its children that have ended.
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = rest.slice(9, 13).map(Number);
    usedMs.set(Number(name), {
      own: (user + system) * clockTickMs,
      ofEnded: (endedUser + endedSystem) * clockTickMs,
    });
    children.set(Number(parent), [...(children.get(Number(parent)) ?? []), Number(name)]);
  }
  const below = (pid: number): number =>
    (children.get(pid) ?? []).reduce(
      (sum, child) => sum + (usedMs.get(child)?.own ?? 0) + below(child),
      usedMs.get(pid)?.ofEnded ?? 0,
    );
  return below(process.pid);
}

/** Returns the fields after the program's name, which may contain anything; undefined if the process has just ended. */
function statFieldsOf(pid: string): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** Appends the profile of a test file if profiling is on. Lines of several workers do not mix. */
export function noteProfile(profile: FileProfile): void {
  const file = process.env[profileVariable];
  if (file) appendFileSync(file, `${JSON.stringify(profile)}\n`);
}

const slowestMax = 30;

/** Formats the sums and the slowest files as a table. */
export async function profileOf(file: string): Promise<string> {
  const text = existsSync(file) ? await readFile(file, 'utf8') : '';
  const files = text
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as FileProfile)
    .toSorted((one, other) => other.wholeMs - one.wholeMs);
  const total = (of: (profile: FileProfile) => number) => files.reduce((sum, each) => sum + of(each), 0);
  const columns = ['wholeMs', 'importMs', 'setUpMs', 'processorMs', 'programsMs'] as const;
  const row = (of: (column: (typeof columns)[number]) => number, name: string) =>
    `${columns.map(column => (of(column) / 1000).toFixed(1).padStart(9)).join('')}  ${name}`;
  return [
    'Seconds per test file: elapsed time, and CPU time of the worker and of the programs that it started.',
    `${['whole', 'import', 'set-up', 'worker', 'programs'].map(title => title.padStart(9)).join('')}  file`,
    row(column => total(each => each[column]), `all ${files.length}`),
    ...files.slice(0, slowestMax).map(each => row(column => each[column], relative(projectRoot, each.file))),
  ].join('\n');
}
