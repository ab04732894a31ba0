import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The databases of a test run, and the guard that keeps tests off the network, come from the dev house. */
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
    testEnvironment: 'node',
    setupFiles: [houseFile('block-network.ts')],
    extensionsToTreatAsEsm: ['.ts'],
    transform: {
      '^.+\\.ts$': [
        '@swc/jest',
        {
          jsc: {
            parser: { syntax: 'typescript' },
            target: 'es2024',
            experimental: { keepImportAttributes: true },
          },
          module: { type: 'es6' },
        },
      ],
    },
  }));

export default {
  projects,
  globalSetup: houseFile('jest-global-setup.ts'),
  globalTeardown: houseFile('jest-global-teardown.ts'),
  // A worker keeps something of every file that it has run: a new one is quicker than one that collects garbage.
  workerIdleMemoryLimit: '1GB',
  // A machine of continuous integration has few and slow cores; what a test waits for ends sooner, and says what it was.
  testTimeout: 180_000,
};
