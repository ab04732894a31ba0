import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { accountId, outcomeSourceId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { outcomeRequestHeaders } from '../../outcome-sources.ts';
import { receivedOutcomes } from '../public/receive-outcomes.ts';

const common = {
  method: 'post',
  answeredBy: 'webhook-dispatcher',
  access: { kind: 'service', callers: ['gateway'] },
  repeatable: true,
} as const;

/** Finds the source whose URL a provider has called. */
export const findOutcomeSource = defineOperation({
  ...common,
  id: 'find-outcome-source',
  path: '/internal/v1/outcome-source-lookups',
  summary: 'Find an outcome source by its token',
  description: 'Returns the source with this token in its current or still valid previous URL.',
  body: z.strictObject({ token: z.string().max(100) }),
  success: {
    status: 200,
    description: 'The source.',
    schema: z.object({ accountId, sourceId: outcomeSourceId }),
  },
  problems: ['outcome_source_not_found'],
});

/** The most octets of a header that a provider sends. */
const headerCharactersMax = 2_000;

/** Verifies and records the events of one request of a provider. */
export const takeOutcomeEvents = defineOperation({
  ...common,
  id: 'take-outcome-events',
  path: '/internal/v1/outcome-events',
  summary: 'Take the events of a mail provider',
  description:
    'Verifies the request, and has its outcomes recorded before it answers. A request that is sent twice counts once.',
  body: z.strictObject({
    sourceId: outcomeSourceId,
    headers: z.partialRecord(z.enum(outcomeRequestHeaders), z.string().max(headerCharactersMax)),
    content: z
      .base64()
      .max(Math.ceil(limits.outcomeEventsBytesMax / 3) * 4)
      .describe('The octets of the body: the provider has signed them.'),
  }),
  bodyBytesMax: 1_500_000,
  success: { status: 200, description: 'What became of the events.', schema: receivedOutcomes },
  problems: ['outcome_source_not_found', 'outcome_signature_not_valid', 'invalid_request'],
});

export type OutcomeRequest = z.output<typeof takeOutcomeEvents.body>;
