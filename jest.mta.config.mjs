import config from './jest.config.mjs';

/** The tests against real mail servers, which `pnpm test:mta` runs for the servers that it could get. */
// biome-ignore lint/style/noProcessEnv: the command hands its servers over so.
const fetched = Object.keys(JSON.parse(process.env['MAILPROOF_MAIL_SERVERS'] ?? '{}'));

export default {
  ...config,
  projects: config.projects
    .filter(({ displayName }) => displayName === 'validation-engine')
    .map(project => ({
      ...project,
      testMatch: fetched.map(kind => `<rootDir>/test/real-servers/${kind}*.mta.ts`),
    })),
  testTimeout: 120_000,
};
