import type { AssistantId, OauthScope, ToolName } from '@mailproof/shared-types';
import type { z } from 'zod';
import type { Assistant } from '../assistant.ts';
import type { RestAnswer } from './ask-as-account.ts';

/** Hints for clients (specification of MCP, "ToolAnnotations"). */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** What a tool says when it succeeds; what is left of credits and requests is read from the REST answer. */
export interface ToolSuccess {
  readonly data: Readonly<Record<string, unknown>>;
  readonly creditsConsumed: number | null;
  readonly answer: RestAnswer;
}

/** Asks an operation of the REST interface with the account's own key. Throws `ToolFailure` for everything but success. */
export type AskAsAccount = (
  operation: RestAnswer['operation'],
  body?: Readonly<Record<string, unknown>>,
) => Promise<RestAnswer>;

/** A tool as it is listed and called; each stands in a file of its own. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  readonly name: ToolName;
  readonly title: string;
  /** Tells an assistant when to use it, what comes back and what it costs. */
  readonly description: string;
  readonly input: Input;
  readonly output: z.ZodType;
  readonly annotations: ToolAnnotations;
  /** Whether a call can spend credits. */
  readonly spendsCredits: boolean;
  /** What a user reads during a slow call; absent for a tool that is always quick. */
  readonly waitingMessage?: string;
  /** What the user must have allowed. */
  readonly scope: OauthScope;
  handle(input: z.output<Input>, ask: AskAsAccount): Promise<ToolSuccess>;
}

/** Keeps the precise types of a tool's schemas where it is declared. */
export function defineTool<Input extends z.ZodType>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

/** Who is calling: the user's assistant, for the account. */
export type ToolCaller = Pick<Assistant, 'accountId' | 'userId'> & { readonly assistantId: AssistantId };
