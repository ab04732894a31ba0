export { migrateService } from './install-database.ts';
export { installRedis, provisionRedis, serviceRedisUrl } from './install-redis.ts';
export { type RedisSettings, readInstallationSettings, settingPrefix } from './installation-settings.ts';
export { redisServices } from './redis-users.ts';
export { databaseAccessSql, ownerRole, runtimeRole } from './role-sql.ts';
export {
  provisionDatabase,
  type ServiceDatabase,
  serviceDatabase,
  withClient,
  withDatabase,
} from './roles.ts';
export { newInstallationSecrets } from './secret-texts.ts';
export {
  completeSecrets,
  newPassword,
  newSigningKey,
  publicKeySet,
  type ServiceSecrets,
  secretSettingsOf,
} from './secrets.ts';
export {
  allSchemas,
  mallocEnvironment,
  nodeOptionsOf,
  type PublicUrlSetting,
  type RedisServiceName,
  type ServiceDefinition,
  type ServiceName,
  type StoringServiceName,
  schemaOf,
  serviceDefinitions,
  services,
} from './services.ts';
