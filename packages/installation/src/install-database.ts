import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { InstallationSettings } from './installation-settings.ts';
import { migrateService } from './migrate-service.ts';
import { provisionDatabase } from './roles.ts';
import { services } from './services.ts';

/**
 * Makes the database, its schemas and roles, and applies the migrations of every service. It can run again at any time
 * and beside another run: what stands is left standing, but for the passwords of the roles, which become those given.
 *
 * @throws Error when the database cannot be reached, its administrator may not do what is needed, or a migration fails
 */
export async function installDatabase(
  { adminUrl, databaseUrls }: InstallationSettings,
  { root, report }: { readonly root: string; readonly report: (sentence: string) => void },
): Promise<void> {
  const urls = services.map(({ name }) => new URL(databaseUrls[name]));
  const database = decodeURIComponent(urls[0]?.pathname.slice(1) ?? '');
  const databases = await provisionDatabase({
    adminUrl,
    database,
    schemas: services.map(({ schema }) => schema),
    // The owners' passwords have to be the same in runs side by side, and nobody but these runs uses them.
    passwordSeed: urls.map(url => url.password).join(),
    serviceRoles: Object.fromEntries(
      services.map(({ name, schema }) => {
        const { username, password } = new URL(databaseUrls[name]);
        return [schema, { role: username, password: decodeURIComponent(password) }];
      }),
    ),
  });
  report(`The database ${database} has its schemas and roles.`);
  for (const { name, schema } of services) {
    const directory = join(root, 'services', name, 'migrations');
    if (!existsSync(directory)) throw new Error(`The migrations of ${name} are missing: ${directory}.`);
    const urlsOfSchema = databases[schema];
    if (!urlsOfSchema) throw new Error(`The schema ${schema} was not made.`);
    const applied = await migrateService({ ...urlsOfSchema, schema, directory });
    report(`${name}: ${applied.length === 0 ? 'nothing new' : `applied ${applied.join(', ')}`}.`);
  }
}
