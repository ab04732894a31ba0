import type { AssistantId, OauthScope, Operation, ToolName } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { Assistant } from '../assistant.ts';

/** Hints for clients (MCP specification, "ToolAnnotations"). */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** A response of the REST interface. */
export interface RestAnswer {
  readonly operation: Operation;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

/** The result of a successful tool call; the remaining credits and requests are read from the REST response. */
export interface ToolSuccess {
  readonly data: Readonly<Record<string, unknown>>;
  readonly creditsConsumed: number | null;
  readonly answer: RestAnswer;
}

/** Calls an operation of the REST interface with the account's own key. Throws `ToolFailure` unless it succeeds. */
export type AskAsAccount = (
  operation: RestAnswer['operation'],
  body?: Readonly<Record<string, unknown>>,
) => Promise<RestAnswer>;

/** A tool as clients list and call it. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  readonly name: ToolName;
  readonly title: string;
  /** Tells an assistant when to use the tool, what it returns and what it costs. */
  readonly description: string;
  readonly input: Input;
  readonly output: z.ZodType;
  readonly annotations: ToolAnnotations;
  /** Whether a call can spend credits. */
  readonly spendsCredits: boolean;
  /** Shown to the user during a slow call; absent for a tool that is always fast. */
  readonly waitingMessage?: string;
  /** The scope that the user must have granted. */
  readonly scope: OauthScope;
  handle(input: z.output<Input>, ask: AskAsAccount): Promise<ToolSuccess>;
}

/** Keeps the precise types of a tool's schemas where it is declared. */
export function defineTool<Input extends z.ZodType>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

/** The caller: a user's assistant, acting for the account. */
export type ToolCaller = Pick<Assistant, 'accountId' | 'userId'> & { readonly assistantId: AssistantId };
