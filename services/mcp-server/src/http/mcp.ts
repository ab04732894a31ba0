import { Problem } from '@mailproof/service-kit';
import { problemKinds, type ToolEnvelope } from '@mailproof/shared-types';
import {
  type AuthInfo,
  createMcpHandler,
  isSpecType,
  type McpHttpHandler,
} from '@modelcontextprotocol/server';
import type { Express, Request, Response } from 'express';
import { resourceMetadataUrl, toolsPath } from '../domain/access-token.ts';
import type { NoteAssistantUse } from '../domain/assistant.ts';
import type { Prompt } from '../domain/prompts.ts';
import { parseResultsUri, type ResultsPage } from '../domain/tools/list-results.ts';
import type { ResultsOutcome } from '../domain/tools/read-results.ts';
import type { Tool, ToolCaller } from '../domain/tools/tool.ts';
import type { Events } from '../events.ts';
import { asksForPage, type ShowAddress } from './address-page.ts';
import type { SpendingQuestions } from './ask-before-spending.ts';
import type { CountRequest } from './limit-by-network.ts';
import { acceptedTypes, readMessage, serveMessage, UnreadableMessage } from './message.ts';
import { answerCors, type CorsRule } from './protected-resource-metadata.ts';
import { createProtocolServer, listPrompt, listTool, type ProtocolServerOptions } from './protocol-server.ts';
import type { Authorized, TokenGuard } from './token-guard.ts';

export interface McpOptions extends Omit<ProtocolServerOptions, 'tools' | 'prompts'> {
  readonly questions: SpendingQuestions;
  readonly tools: readonly Tool[];
  readonly prompts: readonly Prompt[];
  readonly guard: TokenGuard;
  readonly countRequest: CountRequest;
  readonly callTool: (
    tool: Tool,
    args: unknown,
    caller: ToolCaller,
    signal: AbortSignal,
  ) => Promise<ToolEnvelope>;
  readonly readResults: (
    page: ResultsPage,
    caller: ToolCaller,
    signal: AbortSignal,
  ) => Promise<ResultsOutcome>;
  readonly noteAssistantUse: NoteAssistantUse;
  readonly events: Events;
  readonly publicBaseUrl: string;
  readonly showAddress: ShowAddress;
  readonly isOwnHost: (hostname: string) => boolean;
  readonly isAllowedOrigin: (origin: string) => boolean;
}

/** What a request passes to the tool that it calls. */
interface CallContext {
  readonly caller: ToolCaller;
  /** The method of the message. */
  readonly method: unknown;
  /** Records that the tool or the results were reached: the REST interface counts the request from then on. */
  readonly noteReached: () => void;
}

export interface MountedMcp {
  /** Aborts the running calls. */
  close(): Promise<void>;
}

/**
 * Mounts the tools at their path. It checks host, origin, CORS, token, method and message in this order, so that a
 * foreign page learns nothing from its request and a preflight needs no token. The kit implements the protocol itself.
 */
export function mountMcp(app: Express, options: McpOptions): MountedMcp {
  const listed = {
    ...options,
    tools: options.tools.map(listTool),
    prompts: options.prompts.map(listPrompt),
  };
  const handler = createMcpHandler(
    ({ authInfo, era }) => {
      const context = authInfo?.extra as unknown as CallContext;
      return createProtocolServer(listed, {
        method: context.method,
        noteReached: () => context.noteReached(),
        call: (tool, args, signal) => options.callTool(tool, args, context.caller, signal),
        readResults: (page, signal) => options.readResults(page, context.caller, signal),
        questions: era === 'modern' ? options.questions : undefined,
      });
    },
    { onerror: options.events.messageRefused },
  );
  const cors = corsRule(options.isAllowedOrigin);
  app.all(toolsPath, async (request, response) => {
    response.locals['operation'] = 'mcp';
    assertHostAndOrigin(options, request);
    if (answerCors(request, response, cors)) {
      return;
    }
    const authorized = await options.guard(request, response).catch((error: unknown) => {
      if (error instanceof Problem && error.code === 'missing_access_token' && asksForPage(request)) {
        options.showAddress(response.set({ ...error.headers }), error.status);
        return undefined;
      }
      throw error;
    });
    if (!authorized) {
      return;
    }
    if (request.method !== 'POST') {
      throw new Problem('method_not_allowed', {
        detail: 'Send messages with POST. There are no sessions, so there is no stream to open or close.',
        headers: { allow: 'POST' },
      });
    }
    options.noteAssistantUse(authorized.assistant).catch(options.events.useNotNoted);
    await answerMessage(options, handler, authorized, request, response);
  });
  return { close: () => handler.close() };
}

/**
 * Refuses requests that a browser was tricked into sending: to a foreign name that resolves to our address (DNS
 * rebinding), or by a page whose origin is not allowed. Tokens are bearer tokens and cookies have no meaning here, so
 * these pages could do nothing without a token. The MCP specification requires the check anyway, for servers on a
 * user's own machine.
 */
function assertHostAndOrigin({ isOwnHost, isAllowedOrigin }: McpOptions, request: Request): void {
  if (!isOwnHost(request.hostname ?? '')) {
    throw new Problem('misdirected_request');
  }
  const origin = request.get('origin');
  if (origin !== undefined && !isAllowedOrigin(origin)) {
    throw new Problem('origin_not_allowed');
  }
}

function corsRule(isAllowed: CorsRule['isAllowed']): CorsRule {
  return {
    isAllowed,
    methods: ['POST', 'GET', 'DELETE'],
    headers: [
      'authorization',
      'accept',
      'content-type',
      'last-event-id',
      'mcp-method',
      'mcp-name',
      'mcp-protocol-version',
      'mcp-session-id',
      'traceparent',
      'tracestate',
    ],
    exposedHeaders: [
      'www-authenticate',
      'mcp-session-id',
      'mcp-protocol-version',
      'retry-after',
      'x-request-id',
    ],
  };
}

async function answerMessage(
  options: McpOptions,
  handler: McpHttpHandler,
  { token, assistant }: Authorized,
  request: Request,
  response: Response,
): Promise<void> {
  const message = await readMessage(request, response).catch((error: unknown) => {
    if (error instanceof UnreadableMessage) {
      const { code, message: text } = error;
      response.status(400).json({ jsonrpc: '2.0', error: { code, message: text }, id: null });
      return undefined;
    }
    throw error;
  });
  if (message === undefined) {
    return;
  }
  takeLeniently(request, message);
  const reachesRest = isForTool(options.tools, message) || isForResults(message);
  if (!reachesRest) {
    await countOrRefuse(options, assistant);
  }
  const fault = faultOfParameters(message);
  if (fault !== undefined) {
    response.json({ jsonrpc: '2.0', error: { code: -32_602, message: fault }, id: message['id'] });
    return;
  }
  let isReached = false;
  const noteReached = () => {
    isReached = true;
  };
  const auth: AuthInfo = {
    // This object is passed around, and the code that gets it does not need the token itself.
    token: '',
    clientId: token.clientId,
    scopes: [...token.scopes],
    expiresAt: Math.floor(token.expiresAt.getTime() / 1_000),
    resourceMetadataUrl: resourceMetadataUrl(options.publicBaseUrl),
    extra: { caller: assistant, method: message['method'], noteReached } satisfies CallContext,
  };
  const counted: Pick<McpHttpHandler, 'fetch'> = {
    async fetch(webRequest, requestOptions) {
      const answer = await handler.fetch(webRequest, requestOptions);
      // The event stream can start before the tool does.
      const isOver = answer.headers.get('content-type')?.startsWith('text/event-stream') !== true;
      if (reachesRest && !isReached && isOver) {
        // Nothing was reached: the protocol refused the call, its token lacks the scope, or its state is forged.
        const waitSeconds = await options.countRequest(assistant.accountId);
        return waitSeconds === undefined ? answer : tooMany(message['id'], waitSeconds);
      }
      return answer;
    },
  };
  const accept = acceptedTypes(request.get('accept'));
  await serveMessage(counted, { message, auth, accept }, request, response);
}

/**
 * Normalizes two things that clients without a kit send. They mean what the protocol asks for, but the kit is strict:
 * accepting any media type (RFC 9110 section 12.5.1), and null for no arguments.
 */
function takeLeniently(request: Request, { params }: Record<string, unknown>): void {
  if (/^$|(^|[\s,])\*\/\*/.test(request.get('accept') ?? '')) {
    request.headers.accept = 'application/json, text/event-stream';
  }
  if (typeof params === 'object' && params !== null && 'arguments' in params && params.arguments === null) {
    delete params.arguments;
  }
}

/**
 * Describes what is wrong with the name or the arguments of a request, in a sentence for the client. The kit would send
 * its validator's report.
 */
function faultOfParameters({ method, params, id }: Record<string, unknown>): string | undefined {
  if (
    (typeof id !== 'string' && typeof id !== 'number') ||
    (method !== 'tools/call' && method !== 'prompts/get')
  ) {
    return undefined;
  }
  const { name, arguments: given } = isObject(params) ? params : {};
  if (typeof name !== 'string') {
    return `\`params.name\` must be the name of a ${method === 'tools/call' ? 'tool' : 'prompt'}.`;
  }
  if (given !== undefined && !isObject(given)) {
    return '`params.arguments` must be a JSON object with an entry for each argument.';
  }
  if (method === 'prompts/get' && !Object.values(given ?? {}).every(value => typeof value === 'string')) {
    return 'Every argument of a prompt must be a string.';
  }
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Whether a message calls one of the tools in a form that its handler will see. A message without an id is a
 * notification and gets no response.
 */
function isForTool(tools: readonly Tool[], message: Record<string, unknown>): boolean {
  return (
    'id' in message &&
    isSpecType.CallToolRequest(message) &&
    tools.some(tool => tool.name === message.params.name)
  );
}

/** Whether a message reads a page of a list's results. */
function isForResults(message: Record<string, unknown>): boolean {
  return (
    'id' in message &&
    isSpecType.ReadResourceRequest(message) &&
    parseResultsUri(message.params.uri) !== undefined
  );
}

function tooMany(id: unknown, waitSeconds: number): globalThis.Response {
  const error = { code: -32_000, message: problemKinds.rate_limited.title };
  return globalThis.Response.json(
    { jsonrpc: '2.0', error, id: typeof id === 'string' || typeof id === 'number' ? id : null },
    { status: 429, headers: { 'retry-after': String(waitSeconds) } },
  );
}

async function countOrRefuse(options: McpOptions, { accountId }: ToolCaller): Promise<void> {
  const waitSeconds = await options.countRequest(accountId);
  if (waitSeconds !== undefined) {
    options.events.rateLimited(accountId);
    throw new Problem('rate_limited', { headers: { 'retry-after': String(waitSeconds) } });
  }
}
