import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What runs the tests, their databases, and the guard that keeps them off the network come from the dev house. */
function houseFile(name) {
  return fileURLToPath(new URL(`packages/dev-house/src/${name}`, import.meta.url));
}

/** Every workspace folder with tests is a Jest project, named after its folder. */
const projects = ['packages', 'services']
  .flatMap(parent => readdirSync(new URL(parent, import.meta.url)).map(name => `${parent}/${name}`))
  .filter(folder => existsSync(new URL(`${folder}/package.json`, import.meta.url)))
  .map(folder => ({
    displayName: folder.split('/')[1],
    rootDir: folder,
    testMatch: ['<rootDir>/src/**/*.test.ts', '<rootDir>/test/**/*.test.ts'],
    // Node itself loads and strips TypeScript, once per worker instead of once per file (ADR 0062).
    testEnvironment: houseFile('jest/environment.ts'),
    testRunner: houseFile('jest/run-natively.ts'),
    transform: {},
  }));

export default {
  projects,
  globalSetup: houseFile('jest/global-setup.ts'),
  globalTeardown: houseFile('jest/global-teardown.ts'),
  testSequencer: houseFile('jest/sequencer.ts'),
  // Bounds a worker, and keeps Jest from running files in its own process, which a shared house would not let end.
  workerIdleMemoryLimit: '1GB',
  // A machine of continuous integration has few and slow cores; what a test waits for ends sooner, and says what it was.
  testTimeout: 180_000,
};
