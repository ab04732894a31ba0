import type { Schema } from '../api/client.ts';
import type { Tone } from '../design/tone.ts';

export type ReceiptState = Schema['Receipt']['state'];

interface StateWords {
  readonly name: string;
  readonly tone: Tone;
  readonly sentence: string;
}

/** States of a receipt, in words. */
export const receiptStates = {
  pending: {
    name: 'Under way',
    tone: 'neutral',
    sentence: 'The credits are set aside. What is not used comes back when the work has ended.',
  },
  settled: {
    name: 'Ended',
    tone: 'good',
    sentence: 'What was delivered is spent; the rest came back.',
  },
  released: {
    name: 'Given back',
    tone: 'neutral',
    sentence: 'Nothing was delivered that costs something, so all credits came back.',
  },
  expired: {
    name: 'Given back late',
    tone: 'caution',
    sentence: 'The work did not end in time. All credits came back, and nothing was charged.',
  },
} as const satisfies Readonly<Record<ReceiptState, StateWords>>;
