import { defineOperation } from '@mailproof/shared-types';
import { z } from 'zod';

const parts = {
  method: 'get',
  summary: 'Act',
  description: 'Answers when the test says so.',
  params: z.strictObject({}),
  query: z.strictObject({}),
  body: z.undefined(),
  bodyBytesMax: 0,
  success: { status: 200, description: 'Done.', schema: z.object({}) },
  repeatable: true,
  problems: [],
} as const;

/** An operation for customers, at the public port. */
export const outside = defineOperation({
  ...parts,
  id: 'act-outside',
  path: '/act',
  answeredBy: 'gateway',
  access: { kind: 'public' },
});

/** An operation for peers, at the internal port. */
export const inside = defineOperation({
  ...parts,
  id: 'act-inside',
  path: '/internal/v1/act',
  answeredBy: 'gateway',
  access: { kind: 'service', callers: ['gateway'] },
});
