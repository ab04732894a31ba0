import { mkdir, writeFile } from 'node:fs/promises';
import { buildAppDocument } from '@mailproof/shared-types';
import openapiTypes, { astToString, COMMENT_HEADER } from 'openapi-typescript';

/** Generates the types of the application's API from the OpenAPI document that is built from the contracts. */
const folder = new URL('src/api/generated/', import.meta.url);
const types = await openapiTypes(JSON.stringify(buildAppDocument()), { alphabetize: true });
await mkdir(folder, { recursive: true });
await writeFile(new URL('schema.d.ts', folder), `${COMMENT_HEADER}${astToString(types)}`);
