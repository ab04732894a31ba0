import { createHash } from 'node:crypto';
import { limits, newId, type ToolEnvelope, unknownUsage } from '@mailproof/shared-types';
import type { Tool, ToolCaller } from './tool.ts';
import { ownFailure, ToolFailure, tooManyFailure } from './tool-failure.ts';

/**
 * Counts the credits that an assistant spends one by one without asking its user. Every port throws while its store is
 * unavailable.
 */
export interface SpendingPorts {
  /** Counts a call. Returns false, without counting, when the assistant has reached the limit for the last hour. */
  readonly countSpending: (caller: ToolCaller, callId: string) => Promise<boolean>;
  /** Uncounts a call that cost nothing. */
  readonly uncountSpending: (caller: ToolCaller, callId: string) => Promise<void>;
  readonly restartSpending: (caller: ToolCaller) => Promise<void>;
  /** Returns true once per question, so that an answer restarts the count only once. */
  readonly useAnswer: (questionId: string) => Promise<boolean>;
  /** Counts a request that ends without a call, as in `ToolPorts`. */
  readonly countRefused: (caller: ToolCaller) => Promise<number | undefined>;
  /** Logs a call that ended here. */
  readonly noteRefused: (call: SpendingCall, failure: ToolFailure) => void;
}

/** A call that can spend credits. */
export interface SpendingCall {
  readonly tool: Tool;
  readonly caller: ToolCaller;
  readonly creditsMax: number;
  /** The question whose answer allows the call: about this call alone, or about small calls in general. */
  readonly question: SpendingQuestion;
}

/** The user's answer to an earlier question. */
export interface SpendingAnswer extends Pick<SpendingQuestion, 'about'> {
  readonly questionId: string;
  readonly isAccepted: boolean;
}

/** What the user is asked. It contains nothing that a client has written, such as an address. */
interface SpendingQuestion {
  readonly text: string;
  /** Identifies what the user allows, so that a yes to one call allows no other. */
  readonly about: string;
  /** What the assistant is told after a no. */
  readonly declined: string;
}

const hourlyQuestion: SpendingQuestion = {
  text: `This assistant has used ${limits.assistantCreditsUnasked} credits in the last hour. Let it use up to ${limits.assistantCreditsUnasked} more?`,
  about: 'the last hour',
  declined: `The user did not allow this assistant to use more than ${limits.assistantCreditsUnasked} credits per hour.`,
};

/**
 * The call of a tool with these arguments if it can spend credits. Invalid arguments can spend nothing: the call itself
 * refuses them.
 */
export function spendingCallOf(tool: Tool, args: unknown, caller: ToolCaller): SpendingCall | undefined {
  const input = tool.input.safeParse(args ?? {});
  const creditsMax = input.success ? tool.creditsMax(input.data) : 0;
  if (creditsMax === 0) {
    return undefined;
  }
  return {
    tool,
    caller,
    creditsMax,
    question: creditsMax > 1 ? ofCall(tool, input.data, creditsMax) : hourlyQuestion,
  };
}

function ofCall({ name, title }: Tool, input: unknown, creditsMax: number): SpendingQuestion {
  return {
    text: `This assistant asks to use up to ${creditsMax} credits: “${title}”. Allow it?`,
    about: createHash('sha256')
      .update(JSON.stringify([name, input]))
      .digest('base64url'),
    declined: `The user did not allow this assistant to use up to ${creditsMax} credits.`,
  };
}

/**
 * Makes a call that can spend credits, or returns `ask` when the user has to be asked first. When the user declines,
 * the count does not matter. While the count is unavailable, no call is made, because its cost would not be counted.
 */
export async function callWithinSpending(
  ports: SpendingPorts,
  call: SpendingCall,
  answer: SpendingAnswer | undefined,
  make: () => Promise<ToolEnvelope>,
): Promise<ToolEnvelope | 'ask'> {
  const { caller, question } = call;
  const callId = newId('request');
  const refuse = (failure: ToolFailure): ToolEnvelope => {
    ports.noteRefused(call, failure);
    const { status, message } = failure;
    return { ok: false, status, data: { error: message }, usage: unknownUsage };
  };
  try {
    const isDeclined = answer?.isAccepted === false && answer.about === question.about;
    if (isDeclined || !(await mayCall(ports, call, callId, answer))) {
      const waitSeconds = await ports.countRefused(caller);
      if (waitSeconds !== undefined) {
        return refuse(tooManyFailure(waitSeconds));
      }
      return isDeclined ? refuse(declinedFailure(question)) : 'ask';
    }
  } catch (cause) {
    return refuse(ownFailure(503, cause));
  }
  const envelope = await make();
  if (call.creditsMax === 1 && (!envelope.ok || envelope.usage.creditsConsumed === 0)) {
    // If this fails, the user is merely asked one call early.
    await ports.uncountSpending(caller, callId).catch(() => undefined);
  }
  return envelope;
}

function declinedFailure({ declined }: SpendingQuestion): ToolFailure {
  return new ToolFailure(403, `${declined} Stop, and ask the user how to continue. Nothing was charged.`);
}

async function mayCall(
  ports: SpendingPorts,
  { caller, creditsMax, question }: SpendingCall,
  callId: string,
  answer: SpendingAnswer | undefined,
): Promise<boolean> {
  const isCounted = creditsMax === 1;
  if (isCounted && (await ports.countSpending(caller, callId))) {
    return true;
  }
  if (answer?.about !== question.about || !(await ports.useAnswer(answer.questionId))) {
    return false;
  }
  if (!isCounted) {
    return true;
  }
  await ports.restartSpending(caller);
  return ports.countSpending(caller, callId);
}
