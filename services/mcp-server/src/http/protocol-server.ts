import { oauthScopeNames, usageGuideUri } from '@mailproof/shared-types';
import {
  McpServer,
  type ScopeChallengeHandler,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { z } from 'zod';
import type { ToolResult } from '../domain/tools/call-tool.ts';
import type { Tool } from '../domain/tools/tool.ts';

export interface ProtocolServerOptions {
  readonly tools: readonly ListedTool[];
  readonly usageGuide: string;
  readonly version: string;
}

/** A tool with what is listed of it, in the kit's form. */
export interface ListedTool {
  readonly tool: Tool;
  readonly inputSchema: StandardSchemaWithJSON;
  readonly outputSchema: StandardSchemaWithJSON;
}

/** Makes what is listed of a tool: once, since a protocol server is made for each request. */
export function listTool(tool: Tool): ListedTool {
  return { tool, inputSchema: listedOnly(tool.input), outputSchema: listedOnly(tool.output) };
}

/** Calls a tool in the name of the request that this protocol server was made for. */
export type CallForRequest = (
  tool: Tool,
  args: unknown,
  signal: AbortSignal,
) => Promise<ToolResult['envelope']>;

/** Nothing that is listed changes while a version runs, and nothing in it is of one account. */
const cacheHint = { ttlMs: 300_000, cacheScope: 'public' } as const;

const instructions =
  'Mailproof finds out whether mail to an email address would arrive. Validate one address a call with svc_validate_email; each costs a credit. Read svc://usage-guide for what results and errors mean.';

/** Built once: building one compiles the schemas of JSON Schema itself. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/** Makes the protocol's side of one request; the kit serves both eras of the protocol from it. */
export function createProtocolServer(options: ProtocolServerOptions, call: CallForRequest): McpServer {
  const server = new McpServer(
    {
      name: 'mailproof',
      title: 'Mailproof',
      version: options.version,
    },
    {
      instructions,
      jsonSchemaValidator,
      capabilities: {
        tools: { listChanged: false },
        resources: { listChanged: false },
        prompts: { listChanged: false },
      },
      cacheHints: {
        'server/discover': cacheHint,
        'tools/list': cacheHint,
        'prompts/list': cacheHint,
        'resources/list': cacheHint,
        'resources/templates/list': cacheHint,
        'resources/read': cacheHint,
      },
    },
  );
  for (const listed of options.tools) {
    registerTool(server, listed, call);
  }
  registerUsageGuide(server, options.usageGuide);
  // There are none. Clients that ask without looking at the capabilities would show their user an error.
  server.server.setRequestHandler('prompts/list', () => ({ prompts: [] }));
  return server;
}

function registerTool(
  server: McpServer,
  { tool, inputSchema, outputSchema }: ListedTool,
  call: CallForRequest,
): void {
  server.registerTool(
    tool.name,
    {
      title: tool.title,
      description: tool.description,
      annotations: { title: tool.title, ...tool.annotations },
      inputSchema,
      outputSchema,
      scopeChallenge: challengeFor(tool),
    },
    async (args, context) => {
      const envelope = await call(tool, args, context.mcpReq.signal);
      return {
        content: [{ type: 'text', text: JSON.stringify(envelope) }],
        structuredContent: { ...envelope },
        isError: !envelope.ok,
      };
    },
  );
}

function registerUsageGuide(server: McpServer, text: string): void {
  const mimeType = 'text/markdown';
  server.registerResource(
    'usage-guide',
    usageGuideUri,
    {
      title: 'Usage guide',
      description:
        'What validation results mean, what calls cost, how fast one may ask, and how to read errors.',
      mimeType,
    },
    async () => ({ contents: [{ uri: usageGuideUri, mimeType, text }] }),
  );
}

/**
 * A schema that is listed as it is but refuses nothing. The kit answers arguments that it refuses itself in a form of its
 * own, with the validator's words; ours are looked at where the tool is called, so that a refusal is an envelope too.
 */
function listedOnly(schema: z.ZodType): StandardSchemaWithJSON {
  // As input, since a client may keep the schema for longer than it stays true to the letter: answers may gain members.
  // The dialect is the one that holds without being named (SEP-1613); clients of older revisions know no name for it and
  // would leave results unchecked.
  const { $schema: _dialect, ...json } = z.toJSONSchema(schema, { io: 'input', target: 'draft-2020-12' });
  return {
    '~standard': {
      version: 1,
      vendor: 'mailproof',
      validate: value => ({ value }),
      jsonSchema: { input: () => json, output: () => json },
    },
  };
}

/**
 * Refuses a call whose token lacks the tool's scope (RFC 6750 section 3.1). The challenge names what the token has
 * besides, because many clients ask for exactly what it names and would lose the rest.
 */
function challengeFor({ scope }: Tool): ScopeChallengeHandler {
  return ({ authInfo }) => {
    const granted = authInfo?.scopes ?? [];
    if (granted.includes(scope)) {
      return undefined;
    }
    return {
      scopes: [scope, ...oauthScopeNames.filter(name => name !== scope && granted.includes(name))],
      errorDescription: `This tool needs the scope ${scope}`,
    };
  };
}
