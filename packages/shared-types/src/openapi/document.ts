import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiContentObject,
  type ZodOpenApiHeadersObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import type { Access, Operation, ResponseHeader } from '../operation.ts';
import { rateLimitHeaders } from '../operations/public-parts.ts';
import {
  bodyProblems,
  commonProblems,
  type ProblemCode,
  type ProblemDocument,
  problemDocument,
  problemKinds,
} from '../problems.ts';

/** Problems that authentication and the rate limit add to every operation of the public interface. */
const apiKeyProblems = [
  'missing_api_key',
  'invalid_api_key',
  'revoked_api_key',
  'rate_limited',
  'too_many_failed_attempts',
] as const satisfies readonly ProblemCode[];

const description = `Mailproof says whether mail to an address will arrive.

Send your API key in the \`X-Api-Key\` header. An account may make 10 requests in any one second, or more by its plan; every answer tells where you stand in \`x-ratelimit-*\` headers. \`x-ratelimit-reset\` is in Unix **milliseconds**. Errors are problem documents (RFC 9457) with a stable \`code\`.`;

/** The path that every operation of version 1 begins with; the specification's `base_url` ends in it. */
const basePath = '/api/v1';
/** The same of the application's interface. */
const appPath = '/app/v1';

/** Builds the OpenAPI 3.1 document of the public REST interface from its contracts. */
export function buildOpenApiDocument(operations: readonly Operation[]): ReturnType<typeof createDocument> {
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Mailproof API',
      version: '1.0.0',
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath, description: 'This installation' }],
    security: [{ apiKey: [] }],
    components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } },
    paths: pathsOf(operations),
  });
}

function pathsOf(operations: readonly Operation[]): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const operation of operations) {
    const base = operation.path.startsWith(`${basePath}/`) ? basePath : appPath;
    const path = operation.path.slice(base.length).replace(/:(\w+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      ...(base !== basePath && { servers: [{ url: base, description: 'The application’s interface' }] }),
      [operation.method]: operationObject(operation),
    };
  }
  return paths;
}

function operationObject(operation: Operation): ZodOpenApiOperationObject {
  const takesBody = operation.bodyBytesMax > 0;
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: operation.description,
    ...(operation.tag !== undefined && { tags: [operation.tag] }),
    // In place of the key that the document asks for everywhere else.
    ...(operation.access.kind === 'public' && { security: [] }),
    ...(takesQuery(operation.query) && { requestParams: { query: operation.query } }),
    ...(takesBody && {
      requestBody: { required: true, content: bodyContent(operation) },
    }),
    responses: {
      [operation.success.status]: {
        description: operation.success.description,
        headers: headersOf(operation.success.headers ?? {}),
        content: {
          'application/json': {
            schema: operation.success.schema,
            ...(operation.success.example !== undefined && { example: operation.success.example }),
          },
        },
      },
      ...problemResponses(
        [
          ...(takesBody ? bodyProblems : []).filter(
            code => code !== 'malformed_json' || operation.bodyMediaType === undefined,
          ),
          ...(operation.access.kind === 'apiKey' ? apiKeyProblems : []),
          ...operation.problems,
          ...commonProblems,
        ],
        operation.access,
      ),
    },
  };
}

/** What cannot be described as JSON is text. */
function bodyContent({ body, bodyMediaType, bodyExample }: Operation): ZodOpenApiContentObject {
  return bodyMediaType === undefined
    ? { 'application/json': { schema: body } }
    : {
        [bodyMediaType]: {
          schema: { type: 'string' },
          ...(bodyExample !== undefined && { example: bodyExample }),
        },
      };
}

function takesQuery(query: z.ZodType): query is z.ZodObject {
  return query instanceof z.ZodObject && Object.keys(query.shape).length > 0;
}

/** Groups problem codes by status, since OpenAPI describes one answer a status. */
function problemResponses(
  codes: readonly ProblemCode[],
  access: Access,
): ZodOpenApiOperationObject['responses'] {
  const byStatus = Map.groupBy(new Set(codes), code => problemKinds[code].status);
  const responses: ZodOpenApiOperationObject['responses'] = {};
  for (const [status, kinds] of [...byStatus].sort(([one], [other]) => one - other)) {
    responses[`${status as 400}`] = {
      description: kinds.map(code => `\`${code}\`: ${problemKinds[code].title}.`).join(' '),
      ...(status === 429 && {
        headers: headersOf({
          // Who needs no key has no account whose requests are counted.
          ...(access.kind === 'apiKey' && rateLimitHeaders),
          'retry-after': { type: 'integer', description: 'Seconds to wait, rounded up.' },
        }),
      }),
      content: {
        'application/problem+json': {
          schema: problemDocument,
          examples: Object.fromEntries(kinds.map(code => [code, { value: exampleOf(code) }])),
        },
      },
    };
  }
  return responses;
}

function exampleOf(code: ProblemCode): ProblemDocument {
  const { title, status } = problemKinds[code];
  return {
    type: `https://mailproof.example/docs/errors/${code}`,
    title,
    status,
    code,
    ...(code === 'credits_exhausted' && { required: 1, available: 0 }),
  };
}

function headersOf(headers: Readonly<Record<string, ResponseHeader>>): ZodOpenApiHeadersObject {
  return Object.fromEntries(
    Object.entries(headers).map(([name, { description, ...schema }]) => [name, { description, schema }]),
  );
}
