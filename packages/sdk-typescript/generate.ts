import { mkdir, writeFile } from 'node:fs/promises';
import { buildRestDocument, restOperations } from '@mailproof/shared-types';
import openapiTypes, { astToString, COMMENT_HEADER } from 'openapi-typescript';

/**
 * Generates what the client takes from the contracts: the types of the OpenAPI document, and the operations that take
 * an `Idempotency-Key`.
 */
const folder = new URL('src/generated/', import.meta.url);
const document = buildRestDocument({ forPrograms: true });
// A field of a request that has a default can be omitted.
const options = { alphabetize: true, defaultNonNullable: false };
const types = await openapiTypes(JSON.stringify(document), options);
const keyed = restOperations
  .filter(({ takesIdempotencyKey }) => takesIdempotencyKey)
  .map(
    ({ method, path }) =>
      `${method.toUpperCase()} ${path.slice('/api/v1'.length).replace(/:(\w+)/g, '{$1}')}`,
  );

await mkdir(folder, { recursive: true });
await writeFile(new URL('schema.ts', folder), `${COMMENT_HEADER}${astToString(types)}`);
await writeFile(
  new URL('facts.ts', folder),
  `export const keyedOperations: ReadonlySet<string> = new Set(${JSON.stringify(keyed)});\n`,
);
