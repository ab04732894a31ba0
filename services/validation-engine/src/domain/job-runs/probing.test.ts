import { expect, test } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import type { AnswerRequest } from '../validation/answer-address.ts';
import type { JobRun } from './job-run.ts';
import { createProbing, type ProbingPorts } from './probing.ts';

const run = { runId: newId('validationJob'), accountId: newId('account') } as JobRun;

test('an address of a chunk knows whether others of its domain follow', async () => {
  const addresses = ['a@x.example', 'b@x.example', 'c@y.example'];
  const told: unknown[] = [];
  const chunks = [{ chunkNo: 0, mailHost: 'mx.x.example' }];
  const ports = {
    addresses: {
      openChunks: async () => chunks.splice(0),
      openOf: async () => addresses.map((email, addressNo) => ({ addressNo, email, attempts: 0 })),
      record: async () => undefined,
    },
    answer: async ({ email, list }: AnswerRequest) => {
      told.push([email.domain.ascii, list?.mayHaveMore(email.domain.ascii)]);
      return { verdict: { result: 'ok', reason: 'mailbox_exists' }, validation: undefined };
    },
    expect: () => () => undefined,
    inTurn: (_account: unknown, work: () => unknown) => work(),
    mayBegin: async () => undefined,
    chunksAtOnceMax: 1,
    addressesAtOnceMax: 1,
    deadlineMs: 1_000,
    now: () => new Date(),
  } as unknown as ProbingPorts<never>;
  const probing = createProbing(ports);
  expect(await probing.advance(run)).toBe(true);
  await probing.finish();
  expect(told).toEqual([
    ['x.example', true],
    ['x.example', false],
    ['y.example', false],
  ]);
});
