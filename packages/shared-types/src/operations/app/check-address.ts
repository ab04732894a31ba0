import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { emailAddress } from '../../email-address/parse-email-address.ts';
import { emailValidation } from '../public/validate-single-email.ts';
import { publicHeaders } from '../public-parts.ts';
import { validationDetails } from '../validation-details.ts';
import { memberOnly } from './view-parts.ts';

/** Validates one address for a signed-in user and explains the verdict. */
export const checkAddress = defineOperation({
  id: 'check-address',
  method: 'post',
  path: '/app/v1/address-checks',
  summary: 'Check one email address',
  tag: 'Single checks',
  description:
    'The same response as `POST /api/v1/validate-single-email?details=true`, for signed-in users on any plan, without an API key. Costs 1 credit, or nothing if the result is `unknown`; no mail is ever sent. Responds within 25 seconds; a response that was not delivered is not charged. Counts against the rate limit of the session, not of the account’s API key.',
  answeredBy: 'gateway',
  access: memberOnly('twin'),
  price: 'validation',
  body: z.strictObject({ email: emailAddress }).meta({ id: 'AddressToCheck' }),
  success: {
    status: 200,
    description: 'The verdict with its reason, the evidence and the SMTP sessions.',
    schema: emailValidation.extend({ details: validationDetails }).meta({ id: 'AddressCheck' }),
    example: {
      email: 'nobody@ordinary.example',
      valid: false,
      result: 'invalid',
      mx_domain: 'ordinary.example',
      email_type: 'business',
      credits_consumed: true,
      mx_secure_email_gateway: false,
      details: {
        reason: 'mailbox_missing',
        explanation: 'The mail server says that this mailbox does not exist.',
        normalised_email: 'nobody@ordinary.example',
        role: false,
        disposable: false,
        relay: false,
        mx_host: 'mx.ordinary.example',
        age_seconds: 0,
        time_ms: 412,
        sessions: [
          {
            host: 'mx.ordinary.example',
            address: '192.0.2.25',
            exchanges: [
              { command: '', reply: '220 mx.ordinary.example ESMTP' },
              {
                command: 'RCPT TO:<nobody@ordinary.example>',
                reply: '550 5.1.1 User unknown',
              },
            ],
          },
        ],
      },
    },
    headers: { 'x-credits-remaining': publicHeaders['x-credits-remaining'] },
  },
  repeatable: false,
  takesIdempotencyKey: true,
  problems: ['invalid_email_address', 'credits_exhausted'],
});
