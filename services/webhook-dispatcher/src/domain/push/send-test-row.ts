import {
  type DeliveryFault,
  type ExportedValue,
  newId,
  type PushBeginning,
  type WebhookDestination,
  type WebhookOptions,
} from '@mailproof/shared-types';
import { type Answer, judgeAnswer } from './answer.ts';
import { type BeginPushPorts, destinationOf, pushBeginningOf } from './begin-push.ts';
import { type SentRow, writeRowBody } from './deliver-batch.ts';
import { type Destination, presetOf } from './destination.ts';

export interface TestRowPorts {
  readonly push: Pick<BeginPushPorts, 'classifyHost' | 'newSigningSecret'>;
  readonly send: (
    destination: Destination,
    row: SentRow,
  ) => Promise<{ readonly answer: Answer; readonly body: Uint8Array }>;
  readonly now: () => Date;
}

export interface TestRow {
  readonly destination: WebhookDestination;
  readonly options: WebhookOptions;
  /** The total number of rows of the source; `values` is the first row. */
  readonly rows: number;
  readonly columns: readonly string[];
  readonly values: readonly ExportedValue[];
}

export interface TestRowOutcome {
  readonly outcome: 'delivered' | 'throttled' | 'failed';
  readonly statusCode: number | null;
  readonly fault: DeliveryFault | null;
  /** The beginning of the receiver's answer. */
  readonly answer: string;
  readonly elapsedMs: number;
  readonly row: string;
  readonly push: PushBeginning;
}

/** The most characters of the answer that are shown. */
const answerCharactersMax = 1_000;

/**
 * Sends one row, once.
 *
 * @throws DestinationFault
 */
export async function sendTestRow(ports: TestRowPorts, test: TestRow): Promise<TestRowOutcome> {
  const destination = destinationOf(ports.push, test.destination);
  const push = pushBeginningOf(test.options, destination, test.rows);
  const row = writeRowBody(test.columns, test.values);
  if (row === undefined) {
    const nothing = { statusCode: null, answer: '', elapsedMs: 0, row: '' };
    return { ...nothing, outcome: 'failed', fault: 'too_large', push };
  }
  const startedMs = ports.now().getTime();
  // A separate id, so that a receiver that drops known rows accepts the row again when it is pushed.
  const webhookId = newId('request').replace(/^req_/, 'test_');
  const { answer, body } = await ports.send(destination, { webhookId, body: row });
  const now = ports.now();
  const judgment = judgeAnswer(answer, { preset: presetOf(test.options, destination.url), now });
  return {
    outcome: judgment.kind === 'delivered' || judgment.kind === 'throttled' ? judgment.kind : 'failed',
    statusCode: judgment.statusCode,
    fault: 'fault' in judgment ? judgment.fault : null,
    answer: new TextDecoder().decode(body).replaceAll('\0', '\u{fffd}').slice(0, answerCharactersMax),
    elapsedMs: now.getTime() - startedMs,
    row,
    push,
  };
}
