import { writeFile } from 'node:fs/promises';
import { buildAppDocument, buildRestDocument } from './document.ts';

/** Writes the committed OpenAPI files anew; a test fails while one is stale. */
for (const [name, document] of [
  ['openapi.json', buildRestDocument()],
  ['openapi-app.json', buildAppDocument()],
] as const) {
  await writeFile(new URL(`../../${name}`, import.meta.url), `${JSON.stringify(document, null, 2)}\n`);
}
