import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { emailAddress } from '../../email-address/parse-email-address.ts';
import { accountId } from '../../ids.ts';
import { emailTypes, validationResult, verdictReason } from '../../verdict.ts';
import { validationDetails } from '../validation-details.ts';

/** The engine's complete answer about one address. */
export const verdict = z.object({
  result: validationResult,
  reason: verdictReason,
  mxHost: z.string().optional().describe('The preferred mail host, a lower-case host name or IP address.'),
  mxDomain: z.string().optional().describe('Registrable domain of the preferred mail host.'),
  mxProvider: z.string().optional().describe('Identifier of the provider that runs the preferred mail host.'),
  secureEmailGateway: z
    .boolean()
    .optional()
    .describe('Whether the preferred mail host is a filtering gateway.'),
  emailType: z.enum(emailTypes).optional(),
  details: validationDetails,
  elapsedMs: z.int().nonnegative(),
});

export type Verdict = z.output<typeof verdict>;

export const validateAddress = defineOperation({
  id: 'validate-address',
  method: 'post',
  path: '/internal/v1/validations',
  summary: 'Validate an address',
  description:
    'Queries DNS and the mail hosts about one address and responds before the deadline, with `unknown` if necessary.',
  answeredBy: 'validation-engine',
  access: { kind: 'service', callers: ['gateway'] },
  body: z.strictObject({
    accountId: accountId.describe('The account on whose behalf the hosts are queried.'),
    email: emailAddress,
    deadlineMs: z.int().min(1_000).max(120_000).describe('Time within which to respond.'),
  }),
  success: { status: 200, description: 'The verdict.', schema: verdict },
  repeatable: false,
  problems: ['invalid_email_address'],
});
