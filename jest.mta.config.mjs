import config from './jest.config.mjs';

/** The tests against real mail servers, which `pnpm test:mta` runs for the servers that it could get. */
export default {
  ...config,
  projects: config.projects
    .filter(({ displayName }) => displayName === 'validation-engine')
    .map(project => ({ ...project, testMatch: ['<rootDir>/test/real-servers/*.mta.ts'] })),
  testTimeout: 120_000,
};
