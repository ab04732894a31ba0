import { writeFile } from 'node:fs/promises';
import { publicOperations } from '../operations/index.ts';
import { buildOpenApiDocument } from './document.ts';

/** Writes the committed OpenAPI file anew; a test fails while the file is stale. */
const file = new URL('../../openapi.json', import.meta.url);
await writeFile(file, `${JSON.stringify(buildOpenApiDocument(publicOperations), null, 2)}\n`);
