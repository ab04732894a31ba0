import { databaseUrlSetting, redisUrlSetting, settingPrefix } from './installation-settings.ts';
import { runtimeRole } from './role-sql.ts';
import { completeSecrets, newPassword, secretSettingsOf } from './secrets.ts';
import { type ServiceDefinition, services } from './services.ts';

/** The locations of an installation's stores. */
interface StoreLocations {
  /** `host:port`. */
  readonly postgres: string;
  readonly database: string;
  /** `host:port`. */
  readonly redis: string;
}

/** The secret settings of an installation: those of each service, of the migration, and of the stores themselves. */
interface InstallationSecrets {
  readonly services: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly migrate: Readonly<Record<string, string>>;
  readonly stores: Readonly<Record<string, string>>;
}

/** Generates every secret of a new installation. */
export async function newInstallationSecrets(locations: StoreLocations): Promise<InstallationSecrets> {
  const secrets = await completeSecrets();
  const stores = { POSTGRES_PASSWORD: newPassword(), REDIS_PASSWORD: newPassword() };
  const settingsOf = (service: ServiceDefinition & { readonly schema: string }) => ({
    DATABASE_URL: databaseUrl(locations, runtimeRole(service.schema), newPassword()),
    ...(service.redisKeys && { REDIS_URL: redisUrl(locations, runtimeRole(service.schema), newPassword()) }),
    ...secretSettingsOf(service, secrets),
  });
  const byService = Object.fromEntries(services.map(service => [service.name, settingsOf(service)]));
  const databaseUrls = Object.entries(byService).map(([name, settings]) => [
    databaseUrlSetting(name),
    settings.DATABASE_URL,
  ]);
  const redisUrls = Object.entries(byService).flatMap(([name, { REDIS_URL }]) =>
    REDIS_URL ? [[redisUrlSetting(name), REDIS_URL]] : [],
  );
  return {
    services: byService,
    migrate: {
      MIGRATION_DATABASE_URL: databaseUrl(locations, 'postgres', stores.POSTGRES_PASSWORD),
      ...Object.fromEntries(databaseUrls),
      MIGRATION_REDIS_URL: redisUrl(locations, 'default', stores.REDIS_PASSWORD),
      ...Object.fromEntries(redisUrls),
    },
    stores,
  };
}

/**
 * Lines for an env file. If services need different values, the setting starts with the name of the service, as in
 * `GATEWAY_SERVICE_SIGNING_KEY`. Single quotes keep a shell and Compose from expanding values.
 */
export function asEnvFile({ services: byService, migrate, stores }: InstallationSecrets): string {
  const settings = {
    ...stores,
    ...migrate,
    ...Object.fromEntries(
      Object.entries(byService).flatMap(([name, values]) =>
        Object.entries(values).map(([setting, value]) => [`${settingPrefix(name)}_${setting}`, value]),
      ),
    ),
  };
  return `${Object.entries(settings)
    .map(([setting, value]) => `${setting}='${value}'`)
    .join('\n')}\n`;
}

/** Secrets for Kubernetes, one for each service, named `<prefix>-<service>`; its keys are the service's settings. */
export function asKubernetesSecrets(
  { services: byService, migrate, stores }: InstallationSecrets,
  prefix: string,
): string {
  const all = { ...byService, migrate, stores };
  return Object.entries(all)
    .map(([name, stringData]) => {
      const secret = {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: `${prefix}-${name}`, labels: { 'app.kubernetes.io/part-of': 'mailproof' } },
        type: 'Opaque',
        stringData,
      };
      // JSON is valid YAML, so no value needs extra quoting.
      return `---\n${JSON.stringify(secret, null, 2)}\n`;
    })
    .join('');
}

function databaseUrl({ postgres, database }: StoreLocations, role: string, password: string): string {
  return `postgres://${role}:${password}@${postgres}/${database}`;
}

function redisUrl({ redis }: StoreLocations, user: string, password: string): string {
  return `redis://${user}:${password}@${redis}`;
}
