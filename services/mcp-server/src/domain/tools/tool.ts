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

/** The parts of a request that a tool chooses. */
export interface AskedRequest {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  readonly body?: unknown;
  /** Whether the request is for the sandbox of the account (ADR 0073). */
  readonly inSandbox?: boolean;
  /** Distinguishes requests of calls that repeat each other, which otherwise have the same `Idempotency-Key`. */
  readonly repeats?: string;
}

/** Calls an operation of the REST interface with the account's own key. Throws `ToolFailure` unless it succeeds. */
export type AskAsAccount = (
  operation: RestAnswer['operation'],
  request?: AskedRequest,
) => Promise<RestAnswer>;

/** A resource that a result refers to (MCP specification, "Resource Links"). */
export interface ResourceLink {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly mimeType: string;
}

/** A tool as clients list and call it. */
export interface Tool<Input extends z.ZodType = z.ZodType> {
  readonly name: ToolName;
  readonly title: string;
  /** Tells an assistant when to use the tool, what it returns and what it costs. */
  readonly description: string;
  readonly input: Input;
  readonly output: z.ZodType;
  readonly annotations: ToolAnnotations;
  /**
   * The most credits that a call can spend. Calls of one credit are counted, and the user is asked once there are many;
   * before a call that can spend more, the user is asked each time (ADR 0026).
   */
  creditsMax(input: z.output<Input>): number;
  /**
   * What a call has in common with one that it repeats: the two have the same `Idempotency-Key`, so that the second is
   * not charged. Undefined, or absent, for a call that repeats no other.
   */
  repeatOf?(input: z.output<Input>): unknown;
  /** Shown to the user during a slow call; absent for a tool that is always fast. */
  readonly waitingMessage?: string;
  /** The scope that the user must have granted. */
  readonly scope: OauthScope;
  /** The resources that a successful result links to. */
  linksOf?(data: Readonly<Record<string, unknown>>): readonly ResourceLink[];
  handle(input: z.output<Input>, ask: AskAsAccount): Promise<ToolSuccess>;
}

/** Keeps the precise types of a tool's schemas where it is declared. */
export function defineTool<Input extends z.ZodType>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

/** The caller: a user's assistant, acting for the account. */
export type ToolCaller = Pick<Assistant, 'accountId' | 'userId'> & { readonly assistantId: AssistantId };
