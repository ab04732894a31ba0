import { limits, newId, type ToolEnvelope, unknownUsage } from '@mailproof/shared-types';
import type { Tool, ToolCaller } from './tool.ts';
import { ownFailure, ToolFailure, tooManyFailure } from './tool-failure.ts';

/** Counts what assistants spend without their user being asked. Every port throws while its store is away. */
export interface SpendingPorts {
  /** Counts a call; false, and not counted, when the assistant has reached the limit of the last hour. */
  readonly countSpending: (caller: ToolCaller, callId: string) => Promise<boolean>;
  /** Uncounts a call that cost nothing. */
  readonly uncountSpending: (caller: ToolCaller, callId: string) => Promise<void>;
  readonly restartSpending: (caller: ToolCaller) => Promise<void>;
  /** True once for each question, so that one answer of a user allows one more round. */
  readonly useAnswer: (questionId: string) => Promise<boolean>;
  /** Counts a request that ends without a call, as `ToolPorts` has it. */
  readonly countRefused: (caller: ToolCaller) => Promise<number | undefined>;
  /** Notes a call that ended here, for the log. */
  readonly noteRefused: (call: SpendingCall, failure: ToolFailure) => void;
}

/** A call that can spend credits. */
export interface SpendingCall {
  readonly tool: Tool;
  readonly caller: ToolCaller;
}

/** What a user answered to an earlier question. */
export interface SpendingAnswer {
  readonly questionId: string;
  readonly isAccepted: boolean;
}

/** What the user is asked. It names no address, and counts what this server counts. */
export const spendingQuestion = `This assistant has used ${limits.assistantCreditsUnasked} credits in the last hour. Let it use up to ${limits.assistantCreditsUnasked} more?`;

const declined = new ToolFailure(
  403,
  `The user did not allow this assistant to use more than ${limits.assistantCreditsUnasked} credits in an hour. Stop, and ask the user how to continue. Nothing was charged.`,
);

/**
 * Makes a call that can spend credits, or answers `ask` when the user has to be asked first. A user who declines is
 * obeyed without a look at the count. Without the count no call is made, since it would spend what was never counted.
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
    // A call that stays in the count only makes the question come early.
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
