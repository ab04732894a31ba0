import { z } from 'zod';
import {
  type CreateDocumentOptions,
  createDocument,
  type ZodOpenApiContentObject,
  type ZodOpenApiHeadersObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
} from 'zod-openapi';
import { type EventType, eventData, eventSchema, eventTitles } from '../events/event.ts';
import { exampleEvent } from '../events/event-examples.ts';
import { keyScopeNames, keyScopes } from '../key-scopes.ts';
import { limits } from '../limits.ts';
import {
  type Access,
  accountHeader,
  accountParameter,
  keyScopeOf,
  type Operation,
  type ResponseHeader,
  sessionCookie,
  takesAccountParameter,
} from '../operation.ts';
import { appOperations, restOperations } from '../operations/index.ts';
import { receiveOutcomes } from '../operations/public/receive-outcomes.ts';
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
  'expired_api_key',
  'plan_without_api_access',
  'scope_required',
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
    description:
      '`true` if the response repeats the response of an earlier request with the same `Idempotency-Key`.',
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
      `Makes it safe to retry the request if the response is lost: for ${limits.idempotencyKeptMs / 3_600_000} hours the same key with the same request returns the first response, and nothing is charged twice. Generate a new key, such as a random UUID, for each new request.`,
    ),
});

/** Problems that signing in adds to every operation of the application's interface. */
const sessionProblems = [
  'not_signed_in',
  'other_account',
  'rate_limited',
  'too_many_failed_attempts',
] as const satisfies readonly ProblemCode[];

/** Parameters that name the account that the page shows; `id` is the parameter's name in the document. */
const shownAccount = (id: string) =>
  z.string().max(64).optional().meta({
    description:
      'The id of the account that the page shows. If the session belongs to another account, the request fails with `other_account`. API clients may omit it.',
    param: { id },
  });
const shownAccountHeader = shownAccount('AccountHeader');
const shownAccountParameter = shownAccount('AccountParameter');

const restDescription = `Mailproof checks whether an email address can receive mail, and finds people and companies.

Send your API key in the \`X-Api-Key\` header. An account can make 10 requests per second, or more depending on its plan; every response to a valid key reports the rate limit in \`x-ratelimit-*\` headers. \`x-ratelimit-reset\` is in Unix **milliseconds**. Errors are problem documents (RFC 9457) with a stable \`code\`.

API keys open nearly all operations of the application: validation jobs, searches, saved lists, exports, pushes and CRM imports, shared with the people of the account. Users, passwords, the keys themselves, plan orders, connecting a CRM, and the export and deletion of the account need a person who signs in.

The account’s default key opens all of these operations. A named key opens those of its scopes; each operation names the one that it needs (\`x-required-scope\`), and answers 403 \`scope_required\` to other keys. A test key gets the documented answers of the sandbox in operations with \`x-sandbox: true\`, costs nothing, and opens no other operation.`;

const apiKeyScheme = `The account’s default key, which has every scope, or a named key with some of them. Owners of the account find and create keys on the application’s API keys page. The scopes:

${keyScopeNames.map(name => `- \`${name}\`: ${keyScopes[name]}`).join('\n')}`;

const appDescription = `The API of Mailproof’s web application, for signed-in users. Programs use the REST API instead, which has nearly all of these operations at the same paths below \`/api/v1\` and needs an API key.

Signing in sets a session cookie. Requests from other websites that change data are rejected. Errors are problem documents (RFC 9457) with a stable \`code\`.`;

type Document = ReturnType<typeof createDocument>;

/** The problem responses of a document, keyed by codes and headers, so that each is described once. */
type KnownResponses = Map<string, ZodOpenApiResponseObject>;

/**
 * Builds the OpenAPI 3.1 document of the public REST interface from its contracts. The operation that mail providers call
 * is in it too, unless it is left out: programs do not call it.
 */
export function buildRestDocument({ forPrograms = false } = {}): Document {
  const known: KnownResponses = new Map();
  return createDocument(
    {
      openapi: '3.1.0',
      info: { ...commonInfo, title: 'Mailproof API', description: restDescription },
      // Every version 1 operation's path begins with this; the specification's `base_url` ends with it.
      servers: [{ url: '/api/v1', description: 'This installation' }],
      security: [{ apiKey: [] }],
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: apiKeyScheme },
        },
      },
      paths: { ...pathsOf(restOperations, '/api/v1', known), ...(!forPrograms && inboundPath(known)) },
      webhooks: eventWebhooks(),
    },
    schemaForms,
  );
}

/** The path of the operation that mail providers call, which is not below the server of the others. */
function inboundPath(known: KnownResponses): ZodOpenApiPathsObject {
  const [[path, item] = []] = Object.entries(pathsOf([receiveOutcomes], '/inbound/v1', known));
  const servers = [{ url: '/inbound/v1', description: 'This installation, for mail providers' }];
  return path === undefined ? {} : { [path]: { ...item, servers } };
}

/** The headers of Standard Webhooks. */
const webhookHeaders = z.object({
  'webhook-id': z
    .string()
    .describe('Id of the event, the same in all attempts: drop an event with a known id.'),
  'webhook-timestamp': z.string().describe('Time of the attempt, in Unix seconds.'),
  'webhook-signature': z
    .string()
    .describe(
      '`v1,` and a signature in base64; several, separated by spaces, while a previous secret is valid.',
    ),
});

/** The requests that a webhook endpoint receives, by the type of the event. */
export function eventWebhooks(): ZodOpenApiPathsObject {
  return Object.fromEntries(
    (Object.keys(eventData) as EventType[]).map(type => [
      type,
      {
        post: {
          operationId: `event-${type.replace(/[._]/g, '-')}`,
          summary: eventTitles[type],
          description:
            'Signed as Standard Webhooks defines; verify the signature of the body before you use it.',
          tags: ['Webhooks'],
          security: [],
          requestParams: { header: webhookHeaders },
          requestBody: {
            required: true,
            content: { 'application/json': { schema: eventSchema(type), example: exampleEvent(type) } },
          },
          responses: {
            '2XX': { description: 'The event is accepted and not sent again.' },
            410: { description: 'The endpoint is gone: it is disabled.' },
            default: {
              description: `The event is sent again, for up to ${limits.eventRetryMs / 3_600_000} hours.`,
            },
          },
        },
      },
    ]),
  );
}

/** Builds the OpenAPI 3.1 document of the application's interface from its contracts. */
export function buildAppDocument(): Document {
  return createDocument(
    {
      openapi: '3.1.0',
      info: { ...commonInfo, title: 'Mailproof application API', description: appDescription },
      servers: [{ url: '/app/v1', description: 'This installation' }],
      security: [{ session: [] }],
      components: { securitySchemes: { session: { type: 'apiKey', in: 'cookie', name: sessionCookie } } },
      paths: pathsOf(appOperations, '/app/v1'),
    },
    schemaForms,
  );
}

/** Builds a document for one operation, which can also be an internal one. */
export function buildDocumentOf(operation: Operation): Document {
  return createDocument(
    {
      openapi: '3.1.0',
      info: { ...commonInfo, title: operation.id },
      paths: pathsOf([operation], ''),
    },
    schemaForms,
  );
}

/**
 * Corrects two forms of JSON Schema that tools for OpenAPI do not accept: required members of a record that are named
 * only in `propertyNames`, and a discriminator that is not a text (OpenAPI 3.1.0, Discriminator Object).
 */
const schemaForms = {
  override({ jsonSchema, zodSchema }) {
    const { required, properties, additionalProperties: member } = jsonSchema;
    if (required && !properties && typeof member === 'object') {
      jsonSchema.properties = Object.fromEntries(required.map(name => [name, member]));
    }
    if (zodSchema instanceof z.ZodDiscriminatedUnion) {
      const tags = zodSchema._zod.propValues?.[zodSchema.def.discriminator] ?? new Set();
      if ([...tags].some(tag => typeof tag !== 'string')) delete jsonSchema.discriminator;
    }
  },
} satisfies CreateDocumentOptions;

const commonInfo = { version: '1.0.0', license: { name: 'MIT', identifier: 'MIT' } };

function pathsOf(
  operations: readonly Operation[],
  base: string,
  known: KnownResponses = new Map(),
): ZodOpenApiPathsObject {
  const paths: ZodOpenApiPathsObject = {};
  for (const operation of operations) {
    const path = operation.path.slice(base.length).replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.method]: operationObject(operation, known) };
  }
  return paths;
}

function operationObject(operation: Operation, known: KnownResponses): ZodOpenApiOperationObject {
  const takesBody = operation.bodyBytesMax > 0;
  const scope = operation.access.kind === 'apiKey' ? keyScopeOf(operation) : undefined;
  return {
    operationId: operation.id,
    summary: operation.summary,
    description: `${operation.description}${scope === undefined ? '' : `\n\nA named API key needs the scope \`${scope}\`.`}`,
    ...(scope !== undefined && { 'x-required-scope': scope, 'x-sandbox': operation.sandbox === true }),
    ...(operation.tag !== undefined && { tags: [operation.tag] }),
    // Overrides the API key requirement that applies to the whole document.
    ...((operation.access.kind === 'public' || operation.access.kind === 'secretUrl') && { security: [] }),
    ...requestParams(operation),
    ...(takesBody && {
      requestBody: { required: true, content: bodyContent(operation) },
    }),
    responses: {
      [operation.success.status]: {
        description: operation.success.description,
        headers: headersOf({
          // The guard sets them; the owner of a forwarded operation does not know them.
          ...(operation.access.kind === 'apiKey' && rateLimitHeaders),
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
          ...(operation.access.kind === 'apiKey' && !operation.sandbox
            ? (['live_key_required'] as const)
            : []),
          ...sessionProblemsOf(operation),
          ...(operation.takesIdempotencyKey ? idempotencyProblems : []),
          ...operation.problems,
          ...commonProblems,
        ],
        operation.access,
        known,
      ),
    },
  };
}

/**
 * A read-only request may come from any site, as a link does; the browser does not expose the response to that site.
 */
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

/** A body that JSON cannot describe is documented as text. */
function bodyContent(operation: Operation): ZodOpenApiContentObject {
  const { body, bodyMediaType, otherBodyMediaTypes = [], otherBodyForms, bodyExample } = operation;
  const example = bodyExample !== undefined && { example: bodyExample };
  if (bodyMediaType === undefined) {
    return { 'application/json': { schema: body, ...example } };
  }
  const content = { schema: { type: 'string' as const }, ...example };
  const texts = [bodyMediaType, ...otherBodyMediaTypes].map(mediaType => [mediaType, content]);
  return { ...Object.fromEntries(texts), ...otherBodyForms };
}

function answerContent({ success }: Operation): ZodOpenApiContentObject {
  const { mediaType, otherMediaTypes = [], schema, example } = success;
  return mediaType === undefined
    ? { 'application/json': { schema, ...(example !== undefined && { example }) } }
    : Object.fromEntries(
        [mediaType, ...otherMediaTypes].map(each => [each, { schema: { type: 'string' as const } }]),
      );
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

/** Groups problem codes by status, since OpenAPI describes one response for each status. */
function problemResponses(
  codes: readonly ProblemCode[],
  access: Access,
  known: KnownResponses,
): ZodOpenApiOperationObject['responses'] {
  const byStatus = Map.groupBy(new Set(codes), code => problemKinds[code].status);
  const responses: ZodOpenApiOperationObject['responses'] = {};
  for (const [status, kinds] of [...byStatus].sort(([one], [other]) => one - other)) {
    // Requests without an API key do not count toward an account's rate limit.
    const headers = status === 429 && access.kind === 'apiKey' ? rateLimitHeaders : {};
    const key = [...kinds, ...Object.keys(headers)].join();
    const response = known.get(key) ?? problemResponse(status, kinds, headers);
    known.set(key, response);
    responses[`${status as 400}`] = response;
  }
  return responses;
}

/** Describes a problem response. Its `id` makes it a component, which all operations with the same codes reference. */
function problemResponse(
  status: number,
  kinds: readonly ProblemCode[],
  headers: Readonly<Record<string, ResponseHeader>>,
): ZodOpenApiResponseObject {
  return {
    id: kinds.join('.'),
    description: kinds.map(code => `\`${code}\`: ${problemKinds[code].title}.`).join(' '),
    ...((status === 429 || status === 503 || kinds.includes('idempotency_key_in_use')) && {
      headers: headersOf({
        ...headers,
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
