/** Functions that the checks of images and of the cluster share with other commands, in addition to those that tests use. */
export { connectionsIn } from './chart/connections.ts';
export { provideHelm } from './chart/manifest-schemas.ts';
export { readManifests } from './chart/manifests.ts';
export { policyRules } from './chart/policy-rules.ts';
export {
  fetchPackages,
  packageFolder,
  packagesObstacle,
  unpackPackages,
  whileFetching,
} from './debian-packages.ts';
export { type DemoCredentials, readCredentials, readPrintedCredentials } from './demo-account.ts';
export { validateFirstAddress } from './first-validation.ts';
export { type HealthCheck, healthChecks } from './images/health-checks.ts';
export { pageCommands } from './page-commands.ts';
export { projectRoot } from './project-root.ts';
export { providedFolder, runProgram } from './provided-folder.ts';
export { freePort } from './service-instances.ts';
