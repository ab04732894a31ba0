import config from './jest.config.mjs';

/** Suites that take minutes or need what not every machine has; each has its own command. */
export default {
  ...config,
  projects: config.projects.map(project => ({ ...project, testMatch: ['<rootDir>/test/**/*.long.ts'] })),
};
