import { z } from 'zod';
import { isRuntimeRole, runtimeRole } from './role-sql.ts';
import { type ServiceName, services } from './services.ts';

/** What it takes to make or migrate the database of an installation. */
export interface InstallationSettings {
  /** Of an administrator of the cluster, or of the database where it stands already. */
  readonly adminUrl: string;
  /** What each service connects with: as the role of its schema, with the password that the role gets. */
  readonly databaseUrls: Readonly<Record<ServiceName, string>>;
}

/** Settings are wrong or missing; the message names each in a sentence and repeats no value, since they hold passwords. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';
}

const postgresUrl = z.url({
  protocol: /^postgres(ql)?$/,
  error: 'must be set to an address like postgres://user:password@host:5432/database',
});

/** The setting with the address that a service connects to: `CREDIT_LEDGER_DATABASE_URL`. */
export function databaseUrlSetting(service: string): string {
  return `${settingPrefix(service)}_DATABASE_URL`;
}

/** What the settings of a service begin with where those of all services stand side by side: `CREDIT_LEDGER`. */
export function settingPrefix(service: string): string {
  return service.replaceAll('-', '_').toUpperCase();
}

/** Reads the settings of an installation from environment variables. */
export function readInstallationSettings(environment: NodeJS.ProcessEnv): InstallationSettings {
  const faults: string[] = [];
  const read = (setting: string): string => {
    const result = postgresUrl.safeParse(environment[setting]);
    if (!result.success) faults.push(`${setting} ${result.error.issues[0]?.message}.`);
    return result.data ?? '';
  };
  const adminUrl = read('MIGRATION_DATABASE_URL');
  const entries = services.map(({ name }) => [name, read(databaseUrlSetting(name))] as const);
  if (faults.length === 0) faults.push(...faultsOfRoles(entries));
  if (faults.length > 0)
    throw new SettingsError(`The database cannot be set up with these settings:\n${faults.join('\n')}`);
  return { adminUrl, databaseUrls: Object.fromEntries(entries) as Record<ServiceName, string> };
}

function faultsOfRoles(entries: readonly (readonly [ServiceName, string])[]): string[] {
  const databases = new Set(entries.map(([, url]) => new URL(url).pathname));
  const faults = services.flatMap(({ name, schema }) => {
    const url = new URL(entries.find(([each]) => each === name)?.[1] ?? '');
    const role = runtimeRole(schema);
    // The migrations grant their rights to the role by this name.
    return [
      ...(isRuntimeRole(url.username, schema)
        ? []
        : [`${databaseUrlSetting(name)} must have the user ${role}, or a successor such as ${role}_b.`]),
      ...(url.password === '' ? [`${databaseUrlSetting(name)} must have a password for ${role}.`] : []),
    ];
  });
  if (databases.size > 1 || databases.has('') || databases.has('/'))
    faults.push('All services’ addresses must name one and the same database.');
  return faults;
}
