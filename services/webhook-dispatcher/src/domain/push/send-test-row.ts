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
import type { SentRow } from './deliver-batch.ts';
import type { Destination } from './destination.ts';
import { presetOf } from './preset-of.ts';
import { writeRowBody } from './row-body.ts';

export interface TestRowPorts {
  readonly push: Pick<BeginPushPorts, 'placeOf' | 'newSigningSecret'>;
  readonly send: (
    destination: Destination,
    row: SentRow,
  ) => Promise<{ readonly answer: Answer; readonly body: Uint8Array }>;
  readonly now: () => Date;
}

export interface TestRow {
  readonly destination: WebhookDestination;
  readonly options: WebhookOptions;
  /** Rows that the source has in all, and the first of them. */
  readonly rows: number;
  readonly columns: readonly string[];
  readonly values: readonly ExportedValue[];
}

export interface TestRowOutcome {
  readonly outcome: 'delivered' | 'throttled' | 'failed';
  readonly statusCode: number | null;
  readonly fault: DeliveryFault | null;
  /** The beginning of what the receiver answered. */
  readonly answer: string;
  readonly elapsedMs: number;
  readonly row: string;
  readonly push: PushBeginning;
}

/** Characters of the answer that are shown. */
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
  // An id of its own, so that a receiver that drops what it knows takes the row once more when it is pushed.
  const webhookId = newId('request').replace(/^req_/, 'test_');
  const { answer, body } = await ports.send(destination, { webhookId, body: row });
  const now = ports.now();
  const judgement = judgeAnswer(answer, { preset: presetOf(test.options, destination.url), now });
  return {
    outcome: judgement.kind === 'delivered' || judgement.kind === 'throttled' ? judgement.kind : 'failed',
    statusCode: judgement.statusCode,
    fault: 'fault' in judgement ? judgement.fault : null,
    answer: new TextDecoder().decode(body).replaceAll('\0', '\u{fffd}').slice(0, answerCharactersMax),
    elapsedMs: now.getTime() - startedMs,
    row,
    push,
  };
}
