import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { doNotProbeProofs, doNotProbeRequest, doNotProbeScope, doNotProbeStates } from '../do-not-probe.ts';
import { noParams, noQuery } from '../public-parts.ts';

/** What became of a request to be left alone. */
const doNotProbeRecorded = z.object({
  name: z.string(),
  scope: doNotProbeScope,
  state: z.enum(doNotProbeStates),
  txtName: z.string(),
  txtValue: z.string(),
  proof: z.enum(doNotProbeProofs),
});

export type DoNotProbeRecorded = z.output<typeof doNotProbeRecorded>;

export const recordDoNotProbeRequest = defineOperation({
  id: 'record-do-not-probe-request',
  method: 'post',
  path: '/internal/v1/do-not-probe-requests',
  summary: 'Ask not to be probed',
  description: 'Lists the name where its owner has published the proof, and says which proof that is.',
  access: { kind: 'service', callers: ['gateway'] },
  params: noParams,
  query: noQuery,
  body: doNotProbeRequest,
  bodyBytesMax: limits.jsonBodyBytesMax,
  success: { status: 200, description: 'What became of it.', schema: doNotProbeRecorded },
  repeatable: true,
  problems: ['invalid_request'],
});
