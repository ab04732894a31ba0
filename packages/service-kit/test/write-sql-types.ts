import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot, type StoringServiceName, sqlTypes } from '@mailproof/dev-house';
import { startBenchDatabase } from '@mailproof/dev-house/bench';
import { parseSql } from '../src/stores/sql-file.ts';

/* Writes the types of every `.sql` file of the services, each from its service's own migrated database. */

const files = globSync('services/*/src/**/*.sql', { cwd: projectRoot });
const services = new Set(files.map(file => file.split('/')[1] as StoringServiceName));
const { signal } = new AbortController();
for (const service of services) {
  const database = await startBenchDatabase(service, { isDurable: false, signal });
  try {
    for (const file of files.filter(each => each.startsWith(`services/${service}/`))) {
      const path = join(projectRoot, file);
      const types = await sqlTypes(database.ownerUrl, path, parseSql(readFileSync(path, 'utf8')));
      writeFileSync(pathToFileURL(`${path}.ts`), types);
    }
  } finally {
    await database.stop();
  }
}
