import type { ToolEnvelope } from '@mailproof/shared-types';
import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { z } from 'zod';
import {
  callWithinSpending,
  type SpendingAnswer,
  type SpendingPorts,
  spendingCallOf,
} from '../domain/tools/spending.ts';
import type { Tool, ToolCaller } from '../domain/tools/tool.ts';

/** Asks the user before an assistant spends more than the limit (MCP specification, "Multi Round-Trip Requests"). */
export interface SpendingQuestions {
  /** Verifies the state that a client sends back. Throws if it is forged, expired or another assistant's. */
  readonly verify: (state: string, context: ServerContext) => Promise<unknown>;
  /** Makes the call, or returns the question. */
  readonly ask: (
    tool: Tool,
    args: unknown,
    context: ServerContext,
    make: () => Promise<ToolEnvelope>,
  ) => Promise<ToolEnvelope | InputRequiredResult>;
}

/** How long a user may take to answer, in seconds. */
export const answerSecondsMax = 1_800;

/** The name of the question within a result. */
const questionName = 'spend_more';

interface QuestionState {
  readonly questionId: string;
  readonly about: string;
}

const clientCapabilities = z.object({
  [CLIENT_CAPABILITIES_META_KEY]: z
    .object({ elicitation: z.object({ form: z.unknown(), url: z.unknown() }).partial().optional() })
    .optional(),
});

const givenAnswer = z.object({ action: z.enum(['accept', 'decline', 'cancel']) });

/**
 * Creates the questions. The client carries a question's state, so the state is signed and bound to the assistant; all
 * replicas have the keys.
 *
 * @param keys the first key signs and every key verifies, so that questions survive a key rotation
 */
export function createSpendingQuestions(
  keys: readonly Uint8Array[],
  ports: SpendingPorts,
): SpendingQuestions {
  const codecs = keys.map(key =>
    createRequestStateCodec<QuestionState>({
      key,
      ttlSeconds: answerSecondsMax,
      bind: context => `${context.mcpReq.method}\0${callerOf(context).assistantId}`,
    }),
  );
  const [current] = codecs;
  if (current === undefined) {
    throw new Error('The key ring is empty.');
  }
  return {
    async verify(state, context) {
      const found = await Promise.any(codecs.map(codec => codec.verify(state, context))).catch(
        () => undefined,
      );
      if (found === undefined) {
        throw new Error('The state of a question is forged, expired or bound to another assistant.');
      }
      return found;
    },
    async ask(tool, args, context, make) {
      const call = spendingCallOf(tool, args, callerOf(context));
      if (call === undefined || !canBeAsked(context)) {
        return make();
      }
      const outcome = await callWithinSpending(ports, call, answerOf(context), make);
      if (outcome !== 'ask') {
        return outcome;
      }
      const question = inputRequired.elicit({
        message: call.question.text,
        // The user accepts or declines; there is nothing to fill in.
        requestedSchema: { type: 'object', properties: {} },
      });
      return inputRequired({
        inputRequests: { [questionName]: question },
        requestState: await current.mint(
          { questionId: crypto.randomUUID(), about: call.question.about },
          context,
        ),
      });
    },
  };
}

function callerOf(context: ServerContext): ToolCaller {
  return context.http?.authInfo?.extra?.['caller'] as ToolCaller;
}

/** Whether the client can show forms to its user; a client that lists no mode supports forms (SEP-1036). */
function canBeAsked({ mcpReq }: ServerContext): boolean {
  const declared = clientCapabilities.safeParse(mcpReq.envelope);
  const elicitation = declared.data?.[CLIENT_CAPABILITIES_META_KEY]?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Returns the user's answer. It counts only with the state of its question, which the kit has already verified. */
function answerOf({ mcpReq }: ServerContext): SpendingAnswer | undefined {
  const state = mcpReq.requestState<QuestionState>();
  const answer = givenAnswer.safeParse(mcpReq.inputResponses?.[questionName]);
  return state === undefined || !answer.success
    ? undefined
    : {
        questionId: state.questionId,
        about: state.about,
        isAccepted: answer.data.action === 'accept',
      };
}
