import { type ToolEnvelope, toolFailures, unknownUsage } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { AskRestApi } from '../rest-api.ts';
import { askAsAccount } from './ask-as-account.ts';
import type { Tool, ToolCaller } from './tool.ts';
import { ownFailure, ToolFailure, tooManyFailure } from './tool-failure.ts';
import { usageOf } from './usage.ts';

export interface ToolCall {
  readonly tool: Tool;
  /** As the client sent them; nothing has looked at them yet. */
  readonly arguments: unknown;
  readonly caller: ToolCaller;
  readonly signal: AbortSignal;
}

export interface ToolPorts {
  readonly askRestApi: AskRestApi;
  /**
   * Counts a call that is refused before it reaches the REST interface, which counts all others. Answers the wait in
   * seconds when the account made too many of them.
   */
  readonly countRefused: (caller: ToolCaller) => Promise<number | undefined>;
}

export interface ToolResult {
  readonly envelope: ToolEnvelope;
  /** What was thrown, for the log. */
  readonly cause?: unknown;
}

/** Calls a tool. Never throws: whatever happens becomes an envelope, and none of it shows the inside. */
export async function callTool(ports: ToolPorts, call: ToolCall): Promise<ToolResult> {
  try {
    const { tool, caller, signal } = call;
    const input = tool.input.safeParse(call.arguments ?? {});
    if (!input.success) {
      throw await refusedArguments(ports, caller, input.error);
    }
    const { data, creditsConsumed, answer } = await tool.handle(
      input.data,
      askAsAccount(ports.askRestApi, caller, signal),
    );
    return {
      envelope: { ok: true, status: answer.status, data, usage: usageOf(answer.headers, creditsConsumed) },
    };
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

/** Says which argument is wrong, and never what stood there: it may be an address of a person. */
function argumentsSentence(error: z.ZodError): string {
  const faults = error.issues.slice(0, 5).map(issue => {
    if (issue.code === 'unrecognized_keys') {
      // A name is told only where it is one: anything could stand there, at any length.
      const names = issue.keys.filter(key => /^[a-z]\w{0,39}$/i.test(key)).slice(0, 5);
      return `the tool has no argument ${names.map(name => `\`${name}\``).join(', ') || 'of such a name'}`;
    }
    const name = issue.path.map(String).join('.');
    return name === '' ? issue.message : `\`${name}\`: ${issue.message}`;
  });
  return `The arguments do not fit: ${faults.join('; ')}. Nothing was charged.`;
}
