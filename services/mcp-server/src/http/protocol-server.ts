import { oauthScopeNames, type ToolEnvelope, usageGuideUri } from '@mailproof/shared-types';
import {
  type CallToolResult,
  completable,
  type Implementation,
  type InputRequiredResult,
  isInputRequiredResult,
  McpServer,
  type ScopeChallengeHandler,
  type ServerContext,
  type StandardSchemaWithJSON,
} from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { z } from 'zod';
import type { Prompt } from '../domain/prompts.ts';
import type { Tool } from '../domain/tools/tool.ts';
import type { SpendingQuestions } from './ask-before-spending.ts';
import { withProgress } from './progress.ts';

export interface ProtocolServerOptions {
  readonly tools: readonly ListedTool[];
  readonly prompts: readonly ListedPrompt[];
  readonly usageGuide: string;
  /** How the server describes itself, in addition to its name. */
  readonly identity: Omit<Implementation, 'name' | 'title'>;
  /** Deadline of a tool call, in milliseconds. */
  readonly callDeadlineMs: number;
}

/** A tool with what is listed of it, in the kit's form. */
export interface ListedTool {
  readonly tool: Tool;
  readonly inputSchema: StandardSchemaWithJSON;
  readonly outputSchema: StandardSchemaWithJSON;
}

/** A prompt with its arguments in the kit's form. */
export interface ListedPrompt extends Prompt {
  readonly argsSchema: z.ZodObject;
}

/** Adds completion values to a prompt's arguments. The kit changes the schemas that it gets, so it gets copies. */
export function listPrompt(prompt: Prompt): ListedPrompt {
  const offered = Object.entries(prompt.offers ?? {}).map(([name, values]) => {
    const optional = prompt.input.shape[name] as z.ZodOptional<z.ZodString>;
    const copy = optional.unwrap().describe(optional.description ?? '');
    const complete = (typed: string) => values.filter(value => value.includes(typed));
    return [name, completable(copy, complete).optional()] as const;
  });
  return { ...prompt, argsSchema: prompt.input.extend(Object.fromEntries(offered)) };
}

/** Makes what is listed of a tool: once, since a protocol server is made for each request. */
export function listTool(tool: Tool): ListedTool {
  return { tool, inputSchema: listedOnly(tool.input), outputSchema: listedOnly(tool.output) };
}

/** What a protocol server can do for its one request. */
export interface RequestPorts {
  /** The method of the message. */
  readonly method: unknown;
  /** Called first by each call that reaches its tool. */
  readonly noteReached: () => void;
  readonly call: (tool: Tool, args: unknown, signal: AbortSignal) => Promise<ToolEnvelope>;
  /** Absent in the era of `initialize`, in which a server without sessions gets no answers. */
  readonly questions: SpendingQuestions | undefined;
}

/** Nothing that is listed changes while a version runs, and nothing in it is of one account. */
const cacheHint = { ttlMs: 300_000, cacheScope: 'public' } as const;

const instructions =
  'Mailproof finds out whether mail to an email address would arrive. Validate one address a call with svc_validate_email; each costs a credit. Read svc://usage-guide for what results and errors mean.';

/** Built once: building one compiles the schemas of JSON Schema itself. */
const jsonSchemaValidator = new AjvJsonSchemaValidator();

/**
 * Makes the protocol's side of one request; the kit serves both eras of the protocol from it. To register something
 * takes time at each request, so a call of a tool gets tools alone.
 */
export function createProtocolServer(options: ProtocolServerOptions, ports: RequestPorts): McpServer {
  const server = new McpServer(
    { name: 'mailproof', title: 'Mailproof', ...options.identity },
    {
      instructions,
      ...(ports.questions && { requestState: { verify: ports.questions.verify } }),
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
    registerTool(server, listed, options.callDeadlineMs, ports);
  }
  if (ports.method !== 'tools/call') {
    for (const prompt of options.prompts) {
      registerPrompt(server, prompt);
    }
    registerUsageGuide(server, options.usageGuide);
  }
  return server;
}

function registerTool(
  server: McpServer,
  { tool, inputSchema, outputSchema }: ListedTool,
  totalMs: number,
  { noteReached, call, questions }: RequestPorts,
): void {
  const { waitingMessage: message } = tool;
  const callTool = (args: unknown, context: ServerContext) => {
    const work = () => call(tool, args, context.mcpReq.signal);
    return message === undefined ? work() : withProgress(context, { message, totalMs }, work);
  };
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
      noteReached();
      const work = () => callTool(args, context);
      return resultOf(
        tool.spendsCredits && questions ? await questions.ask(tool, context, work) : await work(),
      );
    },
  );
}

function resultOf(outcome: ToolEnvelope | InputRequiredResult): CallToolResult | InputRequiredResult {
  if (isInputRequiredResult(outcome)) {
    return outcome;
  }
  return {
    content: [{ type: 'text', text: JSON.stringify(outcome) }],
    structuredContent: { ...outcome },
    isError: !outcome.ok,
  };
}

function registerPrompt(
  server: McpServer,
  { name, title, description, argsSchema, textOf }: ListedPrompt,
): void {
  server.registerPrompt(name, { title, description, argsSchema }, given => ({
    description,
    messages: [{ role: 'user', content: { type: 'text', text: textOf(given) } }],
  }));
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
