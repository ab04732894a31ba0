export {
  migrateService,
  newSigningKey,
  nodeOptionsOf,
  provisionDatabase,
  type ServiceName,
  type StoringServiceName,
  services,
} from '@mailproof/installation';
export { type Customer, createCustomer, operate } from './customer.ts';
export { waitFor } from './deadline.ts';
export { type House, type HouseOptions, startHouse } from './house.ts';
export { loadedModules } from './loaded-modules.ts';
export { labEnvironment } from './mail-lab.ts';
export { type ProviderPost, type SimulatedProvider, simulatedProviders } from './mail-providers.ts';
export { type MailServerKind, mailServerPackages } from './mail-server-packages.ts';
export { columnsOfSchema, prismaSchemaFaults } from './prisma-schema-faults.ts';
export { type KillableServer, startPrivatePostgres, startPrivateRedis } from './private-servers.ts';
export { stopProcess } from './processes.ts';
export { compileCacheDirectory, projectRoot } from './project-root.ts';
export { providedFolder, runProgram } from './provided-folder.ts';
export { installRedisUsers } from './redis-users.ts';
export { breakWithinBody, takesLargeBody } from './rude-clients.ts';
export { spawnOperatorCommand } from './run-operator-command.ts';
export { packN8nNode, provideN8nTools } from './sdks/n8n-node.ts';
export { packedReadme } from './sdks/packed-readme.ts';
export {
  type PythonTools,
  packPythonSdk,
  providePythonTools,
  pythonSdkFolder,
  pythonSdkObstacle,
} from './sdks/python-sdk.ts';
export { packForNpm } from './sdks/typescript-sdk.ts';
export { type PrivateSearchEngine, startPrivateSearchEngine } from './search-engine.ts';
export type { Environment } from './service-environment.ts';
export { freePort } from './service-instances.ts';
export type { ServiceProcess } from './service-process.ts';
export { sqlTypes } from './sql-types.ts';
export { type Keeper, startKeeper } from './start-keeper.ts';
export { environmentFile } from './state-files.ts';
export {
  createTestDatabase,
  type OpenTestDatabase,
  openTestDatabase,
  type TestDatabase,
} from './test-database.ts';
export { sharedTestHouse, startTestHouse } from './test-house.ts';
export { asRedisUser, testRedisUrl } from './test-redis.ts';
export {
  makeTestCertificate,
  type TestCertificate,
  type TestServiceKeys,
  testServiceKeys,
} from './test-services.ts';
export {
  failing,
  limitedTo,
  openWebhookReceiver,
  type ReceivedRequest,
  type WebhookReceiver,
} from './webhook-receiver.ts';
