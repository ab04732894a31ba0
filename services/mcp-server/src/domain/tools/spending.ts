import { limits, newId, type ToolEnvelope, unknownUsage } from '@mailproof/shared-types';
import type { Tool, ToolCaller } from './tool.ts';
import { ownFailure, ToolFailure, tooManyFailure } from './tool-failure.ts';

/**
 * Counts the credits that an assistant spends without asking its user. Every port throws while its store is
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
}

/** The user's answer to an earlier question. */
export interface SpendingAnswer {
  readonly questionId: string;
  readonly isAccepted: boolean;
}

/** The question to the user. It contains nothing from the client, such as an address. */
export const spendingQuestion = `This assistant has used ${limits.assistantCreditsUnasked} credits in the last hour. Let it use up to ${limits.assistantCreditsUnasked} more?`;

const declined = new ToolFailure(
  403,
  `The user did not allow this assistant to use more than ${limits.assistantCreditsUnasked} credits per hour. Stop, and ask the user how to continue. Nothing was charged.`,
);

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
  const { caller } = call;
  const callId = newId('request');
  const refuse = (failure: ToolFailure): ToolEnvelope => {
    ports.noteRefused(call, failure);
    const { status, message } = failure;
    return { ok: false, status, data: { error: message }, usage: unknownUsage };
  };
  try {
    const isDeclined = answer?.isAccepted === false;
    if (isDeclined || !(await mayCall(ports, caller, callId, answer))) {
      const waitSeconds = await ports.countRefused(caller);
      if (waitSeconds !== undefined) {
        return refuse(tooManyFailure(waitSeconds));
      }
      return isDeclined ? refuse(declined) : 'ask';
    }
  } catch (cause) {
    return refuse(ownFailure(503, cause));
  }
  const envelope = await make();
  if (!envelope.ok || envelope.usage.creditsConsumed === 0) {
    // If this fails, the user is merely asked one call early.
    await ports.uncountSpending(caller, callId).catch(() => undefined);
  }
  return envelope;
}

async function mayCall(
  ports: SpendingPorts,
  caller: ToolCaller,
  callId: string,
  answer: SpendingAnswer | undefined,
): Promise<boolean> {
  if (await ports.countSpending(caller, callId)) {
    return true;
  }
  if (answer === undefined || !(await ports.useAnswer(answer.questionId))) {
    return false;
  }
  await ports.restartSpending(caller);
  return ports.countSpending(caller, callId);
}
