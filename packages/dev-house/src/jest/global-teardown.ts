import { type GlobalWithTestRun, runningTestRun } from './global-setup.ts';

// biome-ignore lint/style/noDefaultExport: Jest expects a global teardown as the default export.
export default async function tearDown(): Promise<void> {
  await (globalThis as GlobalWithTestRun)[runningTestRun]?.end();
}
