export {
  type MigrationRequest,
  migrateService,
  newSigningKey,
  nodeOptionsOf,
  type ProvisionRequest,
  provisionDatabase,
  type ServiceDatabase,
  type ServiceDefinition,
  type ServiceName,
  type StoringServiceName,
  services,
} from '@mailproof/installation';
export { type BenchDatabase, startBenchDatabase } from './bench-database.ts';
export { columnsOfSchema } from './columns-of-schema.ts';
export { type Customer, createCustomer } from './customer.ts';
export { waitFor } from './deadline.ts';
export { freePort } from './free-port.ts';
export { hireKeeper, type Keeper } from './hire-keeper.ts';
export { type House, type HouseOptions, startHouse } from './house.ts';
export { labEnvironment } from './mail-lab.ts';
export { type MailServerKind, mailServerPackages } from './mail-server-packages.ts';
export { operate } from './operate.ts';
export { prismaSchemaFaults } from './prisma-schema-faults.ts';
export { type KillableServer, startPrivatePostgres, startPrivateRedis } from './private-servers.ts';
export { stopProcess } from './processes.ts';
export { compileCacheDirectory, projectRoot } from './project-root.ts';
export { installRedisUsers } from './redis-users.ts';
export { spawnOperatorCommand } from './run-operator-command.ts';
export type { Environment } from './service-environment.ts';
export type { ServiceProcess } from './service-process.ts';
export { makeTestCertificate, type TestCertificate } from './test-certificate.ts';
export { createTestDatabase, type TestDatabase } from './test-database.ts';
export { sharedTestHouse, startTestHouse } from './test-house.ts';
export { asRedisUser, testRedisUrl } from './test-redis.ts';
export { type TestServiceKeys, testServiceKeys } from './test-service-keys.ts';
export {
  failing,
  limitedTo,
  openWebhookReceiver,
  type Reaction,
  type ReceivedRequest,
  type WebhookReceiver,
} from './webhook-receiver.ts';
