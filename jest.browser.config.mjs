import config from './jest.config.mjs';

/** What is seen in a browser: needs a Chromium, which not every machine has. */
export default {
  ...config,
  projects: config.projects.map(project => ({ ...project, testMatch: ['<rootDir>/test/**/*.browser.ts'] })),
};
