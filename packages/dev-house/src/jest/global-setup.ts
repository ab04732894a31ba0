import { beginTestRun, type RunningTestRun } from '../test-run.ts';

/** The key under which the teardown finds the test run; Jest loads it separately from the setup. */
export const runningTestRun = Symbol.for('mailproof.runningTestRun');

export type GlobalWithTestRun = typeof globalThis & { [runningTestRun]?: RunningTestRun };

// biome-ignore lint/style/noDefaultExport: Jest expects a global setup as the default export.
export default async function setUp(): Promise<void> {
  (globalThis as GlobalWithTestRun)[runningTestRun] = await beginTestRun();
}
