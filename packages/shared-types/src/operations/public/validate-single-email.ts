import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { emailAddress } from '../../email-address/parse-email-address.ts';
import { emailTypes, validationResult } from '../../verdict.ts';
import { publicHeaders } from '../public-parts.ts';
import { validationDetails } from '../validation-details.ts';

/** The validation result of one address (specification, "Email validation result"). */
export const emailValidation = z
  .object({
    email: z
      .string()
      .describe('The address that was validated, as sent, without surrounding white space.')
      .meta({ format: 'email' }),
    valid: z
      .boolean()
      .describe('True if the address is considered deliverable: `ok` and `catch_all_validated`.'),
    result: validationResult,
    mx_domain: z.string().optional().describe('Registrable domain of the preferred mail host.'),
    email_type: z.enum(emailTypes).optional().describe('What kind of domain the address belongs to.'),
    mx_provider: z
      .string()
      .optional()
      .describe('Stable identifier of the provider that runs the mail host; absent if unknown.'),
    credits_consumed: z.boolean().describe('Whether this request used a credit.'),
    mx_secure_email_gateway: z
      .boolean()
      .optional()
      .describe('Whether the recipient is behind a secure email gateway.'),
    details: validationDetails.optional().describe('Only with the query parameter `details=true`.'),
  })
  .meta({ id: 'EmailValidation' });

export const validateSingleEmail = defineOperation({
  id: 'validate-single-email',
  method: 'post',
  path: '/api/v1/validate-single-email',
  summary: 'Validate one email address',
  tag: 'Validation',
  description:
    'Asks the domain’s mail hosts whether they would accept mail for the address; no mail is ever sent. Costs 1 credit, or nothing if the result is `unknown`. Responds within 25 seconds.',
  answeredBy: 'gateway',
  sandbox: true,
  access: { kind: 'apiKey', scope: 'validation' },
  price: 'validation',
  query: z.strictObject({
    details: z
      .enum(['true', 'false'])
      .default('false')
      .transform(text => text === 'true')
      .describe('Adds `details`: the reason, the evidence and the SMTP sessions.'),
  }),
  body: z.strictObject({ email: emailAddress }).meta({ id: 'EmailValidationRequest' }),
  success: {
    status: 200,
    description: 'The verdict.',
    schema: emailValidation,
    example: {
      email: 'ada@gateway.example',
      valid: true,
      result: 'catch_all_validated',
      mx_domain: 'pphosted.com',
      email_type: 'business',
      mx_provider: 'proofpoint',
      credits_consumed: true,
      mx_secure_email_gateway: true,
    },
    headers: publicHeaders,
  },
  repeatable: false,
  takesIdempotencyKey: true,
  problems: ['invalid_email_address', 'not_a_sandbox_address', 'credits_exhausted'],
});
