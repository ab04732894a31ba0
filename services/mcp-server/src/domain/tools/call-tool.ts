import { createHmac } from 'node:crypto';
import {
  type AccountId,
  type Operation,
  type ToolEnvelope,
  type ToolUsage,
  toolFailures,
  type UserId,
  unknownUsage,
} from '@mailproof/shared-types';
import type { z } from 'zod';
import type { AskAsAccount, AskedRequest, RestAnswer, Tool, ToolCaller } from './tool.ts';
import { failureOfAnswer, ownFailure, ToolFailure, tooManyFailure } from './tool-failure.ts';

interface ToolCall {
  readonly tool: Tool;
  /** As the client sent them, before validation. */
  readonly arguments: unknown;
  readonly caller: ToolCaller;
  readonly signal: AbortSignal;
}

export interface ToolPorts {
  readonly askRestApi: AskRestApi;
  /**
   * Counts a call that is refused before it reaches the REST interface, which counts all others. Returns the wait in
   * seconds if the account made too many such calls.
   */
  readonly countRefused: (caller: ToolCaller) => Promise<number | undefined>;
  /** Makes the idempotency keys of repeated calls. They must not be guessable (ADR 0023). */
  readonly repeatSecret: Uint8Array;
}

interface ToolResult {
  readonly envelope: ToolEnvelope;
  /** The thrown value, for the log. */
  readonly cause?: unknown;
}

/** Calls a tool. Never throws: every failure becomes an envelope that shows no internals. */
export async function callTool(ports: ToolPorts, call: ToolCall): Promise<ToolResult> {
  try {
    const { tool, caller, signal } = call;
    const input = tool.input.safeParse(call.arguments ?? {});
    if (!input.success) {
      throw await refusedArguments(ports, caller, input.error);
    }
    const keyOf = idempotencyKeyOf(ports.repeatSecret, caller, tool, tool.repeatOf?.(input.data));
    const { data, creditsConsumed, answer } = await tool.handle(
      input.data,
      askAsAccount(ports.askRestApi, caller, signal, keyOf),
    );
    const { status, headers } = answer;
    const consumed = headers['idempotent-replayed'] === 'true' ? 0 : creditsConsumed;
    return { envelope: { ok: true, status, data, usage: usageOf(headers, consumed) } };
  } catch (error) {
    return error instanceof ToolFailure
      ? failed(error.status, error.message, error.cause)
      : failed(500, toolFailures[500], error);
  }
}

function failed(status: number, error: string, cause?: unknown): ToolResult {
  return {
    envelope: { ok: false, status, data: { error }, usage: unknownUsage },
    ...(cause !== undefined && { cause }),
  };
}

async function refusedArguments(
  ports: ToolPorts,
  caller: ToolCaller,
  error: z.ZodError,
): Promise<ToolFailure> {
  const waitSeconds = await ports.countRefused(caller).catch(cause => {
    throw ownFailure(503, cause);
  });
  return waitSeconds === undefined
    ? new ToolFailure(400, argumentsSentence(error))
    : tooManyFailure(waitSeconds);
}

/** Says which argument is wrong, but never repeats its value, which may be a person's address. */
function argumentsSentence(error: z.ZodError): string {
  const faults = error.issues.slice(0, 5).map(issue => {
    if (issue.code === 'unrecognized_keys') {
      // A name is repeated only if its form is valid, because it could be any text of any length.
      const names = issue.keys.filter(key => /^[a-z]\w{0,39}$/i.test(key)).slice(0, 5);
      return `unknown argument ${names.map(name => `\`${name}\``).join(', ') || 'in the request'}`;
    }
    const name = issue.path.map(String).join('.');
    return name === '' ? issue.message : `\`${name}\`: ${issue.message}`;
  });
  return `The arguments are invalid: ${faults.join('; ')}. Nothing was charged.`;
}

/** Makes the idempotency keys of a call. Calls of an assistant that repeat each other have the same ones. */
function idempotencyKeyOf(
  secret: Uint8Array,
  { assistantId }: ToolCaller,
  { name }: Tool,
  repeat: unknown,
): KeyOf {
  if (repeat === undefined) {
    return () => crypto.randomUUID();
  }
  return (repeats = '') =>
    createHmac('sha256', secret)
      .update(JSON.stringify([assistantId, name, repeat, repeats]))
      .digest('base64url');
}

type KeyOf = (repeats: AskedRequest['repeats']) => string;

/**
 * Calls operations of the REST interface for one caller. The gateway looks up plan, key and membership for each
 * request, so an account whose plan has just lapsed is refused. With a key for each call, a retry after a broken
 * connection cannot charge twice.
 */
export function askAsAccount(
  askRestApi: AskRestApi,
  { accountId, userId }: ToolCaller,
  signal: AbortSignal,
  keyOf: KeyOf = () => crypto.randomUUID(),
): AskAsAccount {
  return async (operation, { repeats, ...request } = {}) => {
    const outcome = await askRestApi({
      ...request,
      operation,
      owner: { accountId, userId },
      signal,
      ...(operation.takesIdempotencyKey && { idempotencyKey: keyOf(repeats) }),
    });
    switch (outcome.kind) {
      case 'unreadable':
        throw ownFailure(502);
      case 'timed_out':
        throw ownFailure(504);
      case 'unreachable':
        throw ownFailure(503);
      case 'answered':
        if (outcome.status !== operation.success.status) {
          throw failureOfAnswer(outcome);
        }
        return { operation, status: outcome.status, headers: outcome.headers, body: outcome.body };
    }
  };
}

/**
 * Reads the remaining credits and requests from the response's headers. A value that is missing or not an integer is
 * null, for unknown.
 */
function usageOf(headers: RestAnswer['headers'], creditsConsumed: number | null): ToolUsage {
  const rateLimitReset = wholeNumber(headers['x-ratelimit-reset']);
  return {
    creditsRemaining: wholeNumber(headers['x-credits-remaining']),
    creditsConsumed,
    rateLimitLimit: wholeNumber(headers['x-ratelimit-limit']),
    rateLimitRemaining: wholeNumber(headers['x-ratelimit-remaining']),
    rateLimitReset,
    rateLimitResetAt: isoTime(rateLimitReset),
  };
}

function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Returns null for a time outside the range of dates (ECMA-262, "Time Values"). */
function isoTime(unixMs: number | null): string | null {
  return unixMs === null || unixMs > 8.64e15 ? null : new Date(unixMs).toISOString();
}

/** A request for an operation of the REST interface, made by a user's assistant instead of with an API key. */
export interface RestRequest extends Omit<AskedRequest, 'repeats'> {
  readonly operation: Operation;
  readonly owner: { readonly accountId: AccountId; readonly userId: UserId };
  /** For operations that can charge: with it, the request can be repeated without a second charge (ADR 0023). */
  readonly idempotencyKey?: string;
  /** Aborted when the client no longer waits for the response. */
  readonly signal: AbortSignal;
}

/** The outcome of such a request. */
export type RestOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: Readonly<Record<string, string | undefined>>;
      /** Parsed JSON; undefined if the body was something else. */
      readonly body: unknown;
    }
  /** The response is not valid HTTP, or too large. */
  | { readonly kind: 'unreadable' }
  /** No response arrived within the deadline. */
  | { readonly kind: 'timed_out' }
  /** No connection could be made, or it broke. */
  | { readonly kind: 'unreachable' };

/** Calls an operation of the REST interface within its own deadline. */
export type AskRestApi = (request: RestRequest) => Promise<RestOutcome>;
