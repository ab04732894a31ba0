import { beginTestRun, type RunningTestRun } from '../test-run.ts';

/** Where the teardown, which Jest loads apart from the setup, finds what there is to tear down. */
export const runningTestRun = Symbol.for('mailproof.runningTestRun');

export type GlobalWithTestRun = typeof globalThis & { [runningTestRun]?: RunningTestRun };

// biome-ignore lint/style/noDefaultExport: Jest takes a global setup from the default export.
export default async function setUp(): Promise<void> {
  (globalThis as GlobalWithTestRun)[runningTestRun] = await beginTestRun();
}
