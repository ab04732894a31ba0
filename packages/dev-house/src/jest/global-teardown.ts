import { type GlobalWithTestRun, runningTestRun } from './global-setup.ts';

// biome-ignore lint/style/noDefaultExport: Jest takes a global teardown from the default export.
export default async function tearDown(): Promise<void> {
  await (globalThis as GlobalWithTestRun)[runningTestRun]?.end();
}
