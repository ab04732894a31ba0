import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiContentObject,
  type ZodOpenApiHeadersObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { limits } from '../limits.ts';
import {
  type Access,
  accountHeader,
  accountParameter,
  type Operation,
  type ResponseHeader,
  sessionCookie,
  takesAccountParameter,
} from '../operation.ts';
import { appOperations, restOperations } from '../operations/index.ts';
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
  'plan_without_api_access',
  'rate_limited',
  'too_many_failed_attempts',
] as const satisfies readonly ProblemCode[];

/** Problems that an `Idempotency-Key` adds. */
const idempotencyProblems = [
  'idempotency_key_in_use',
  'idempotency_key_reused',
] as const satisfies readonly ProblemCode[];

const replayedHeader = {
  'idempotent-replayed': {
    type: 'string',
    description: '`true` where the answer is that of an earlier request with the same `Idempotency-Key`.',
  },
} as const satisfies Readonly<Record<string, ResponseHeader>>;

/** The header of a request that may charge. */
const idempotencyHeaders = z.object({
  'Idempotency-Key': z
    .string()
    .regex(/^[\x20-\x7e]+$/)
    .min(1)
    .max(limits.idempotencyKeyCharactersMax)
    .optional()
    .describe(
      `Makes it safe to send the request again when its answer was lost: for ${limits.idempotencyKeptMs / 3_600_000} hours the same key with the same request gets the first answer, and nothing is charged twice. Make a new one, such as a random UUID, for each new request.`,
    ),
});

/** Problems that signing in adds to every operation of the application's interface. */
const sessionProblems = [
  'not_signed_in',
  'other_account',
  'rate_limited',
  'too_many_failed_attempts',
] as const satisfies readonly ProblemCode[];

/** Where a request names the account that its page shows; what each is called in the document. */
const shownAccount = (id: string) =>
  z.string().max(64).optional().meta({
    description:
      'The id of the account that the page shows. The request is refused with `other_account` where the session belongs to another one. Programs may leave it out.',
    param: { id },
  });
const shownAccountHeader = shownAccount('AccountHeader');
const shownAccountParameter = shownAccount('AccountParameter');

const restDescription = `Mailproof says whether mail to an address will arrive.

Send your API key in the \`X-Api-Key\` header. An account may make 10 requests in any one second, or more by its plan; every answer tells where you stand in \`x-ratelimit-*\` headers. \`x-ratelimit-reset\` is in Unix **milliseconds**. Errors are problem documents (RFC 9457) with a stable \`code\`.`;

const appDescription = `What Mailproof's web application does, for people who have signed in: account, members, API key, plan and credits.

Signing in sets a session cookie. Requests that change something and come from another website's page are refused. Errors are problem documents (RFC 9457) with a stable \`code\`.`;

type Document = ReturnType<typeof createDocument>;

/** Builds the OpenAPI 3.1 document of the public REST interface from its contracts. */
export function buildRestDocument(): Document {
  return createDocument({
    openapi: '3.1.0',
    info: { ...commonInfo, title: 'Mailproof API', description: restDescription },
    // The path that every operation of version 1 begins with; the specification's `base_url` ends in it.
    servers: [{ url: '/api/v1', description: 'This installation' }],
    security: [{ apiKey: [] }],
    components: { securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } },
    paths: pathsOf(restOperations, '/api/v1'),
  });
}

/** Builds the OpenAPI 3.1 document of the application's interface from its contracts. */
export function buildAppDocument(): Document {
  return createDocument({
    openapi: '3.1.0',
    info: { ...commonInfo, title: 'Mailproof application API', description: appDescription },
    servers: [{ url: '/app/v1', description: 'This installation' }],
    security: [{ session: [] }],
    components: { securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: sessionCookie } } },
    paths: pathsOf(appOperations, '/app/v1'),
  });
}

const commonInfo = { version: '1.0.0', license: { name: 'MIT', identifier: 'MIT' } };

function pathsOf(operations: readonly Operation[], base: string): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const operation of operations) {
    const path = operation.path.slice(base.length).replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method]: operationObject(operation) };
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
    ...requestParams(operation),
    ...(takesBody && {
      requestBody: { required: true, content: bodyContent(operation) },
    }),
    responses: {
      [operation.success.status]: {
        description: operation.success.description,
        headers: headersOf({
          ...operation.success.headers,
          ...(operation.takesIdempotencyKey && replayedHeader),
        }),
        content: answerContent(operation),
      },
      ...problemResponses(
        [
          ...(takesBody ? bodyProblems : []).filter(
            code => code !== 'malformed_json' || operation.bodyMediaType === undefined,
          ),
          ...(operation.access.kind === 'apiKey' ? apiKeyProblems : []),
          ...sessionProblemsOf(operation),
          ...(operation.takesIdempotencyKey ? idempotencyProblems : []),
          ...operation.problems,
          ...commonProblems,
        ],
        operation.access,
      ),
    },
  };
}

/** A request that only reads may come from anywhere, as a link does; the browser shows its answer to nobody else. */
function sessionProblemsOf({ access, method }: Operation): readonly ProblemCode[] {
  if (access.kind !== 'session') {
    return [];
  }
  return [
    ...sessionProblems,
    ...(access.role === 'owner' ? (['owner_required'] as const) : []),
    ...(method === 'get' ? [] : (['cross_site_request'] as const)),
  ];
}

/** What cannot be described as JSON is text. */
function bodyContent(operation: Operation): ZodOpenApiContentObject {
  const { body, bodyMediaType, otherBodyMediaTypes = [], bodyExample } = operation;
  if (bodyMediaType === undefined) {
    return { 'application/json': { schema: body } };
  }
  const content = {
    schema: { type: 'string' as const },
    ...(bodyExample !== undefined && { example: bodyExample }),
  };
  return Object.fromEntries([bodyMediaType, ...otherBodyMediaTypes].map(mediaType => [mediaType, content]));
}

function answerContent({ success }: Operation): ZodOpenApiContentObject {
  const { mediaType, schema, example } = success;
  return mediaType === undefined
    ? { 'application/json': { schema, ...(example !== undefined && { example }) } }
    : { [mediaType]: { schema: { type: 'string' } } };
}

function requestParams(operation: Operation): Pick<ZodOpenApiOperationObject, 'requestParams'> {
  const { params } = operation;
  const header = {
    ...(operation.access.kind === 'session' && { [accountHeader]: shownAccountHeader }),
    ...(operation.takesIdempotencyKey && idempotencyHeaders.shape),
  };
  const query = {
    ...(hasMembers(operation.query) && operation.query.shape),
    ...(takesAccountParameter(operation) && { [accountParameter]: shownAccountParameter }),
  };
  const given = {
    ...(Object.keys(header).length > 0 && { header: z.object(header) }),
    ...(Object.keys(query).length > 0 && { query: z.object(query) }),
    ...(hasMembers(params) && { path: params }),
  };
  return Object.keys(given).length > 0 ? { requestParams: given } : {};
}

function hasMembers(schema: z.core.$ZodType): schema is z.ZodObject {
  return schema instanceof z.ZodObject && Object.keys(schema.shape).length > 0;
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
      ...((status === 429 || status === 503 || kinds.includes('idempotency_key_in_use')) && {
        headers: headersOf({
          // Who needs no key has no account whose requests are counted.
          ...(status === 429 && access.kind === 'apiKey' && rateLimitHeaders),
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
