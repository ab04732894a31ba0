export { installDatabase } from './install-database.ts';
export { installRedis, provisionRedis, serviceRedisUrl } from './install-redis.ts';
export {
  databaseUrlSetting,
  type InstallationSettings,
  type RedisSettings,
  readInstallationSettings,
  redisUrlSetting,
  settingPrefix,
} from './installation-settings.ts';
export { type MigrationRequest, migrateService } from './migrate-service.ts';
export { type RedisUser, redisServices, userRules } from './redis-users.ts';
export { databaseAccessSql, ownerRole, runtimeRole } from './role-sql.ts';
export {
  type ProvisionRequest,
  provisionDatabase,
  type ServiceDatabase,
  serviceDatabase,
  withClient,
  withDatabase,
} from './roles.ts';
export { asEnvFile, asKubernetesSecrets, newInstallationSecrets } from './secret-texts.ts';
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
