import type { Route } from '@mailproof/service-kit';
import { isDeliverable, type OperationResult, validateSingleEmail } from '@mailproof/shared-types';
import type { ValidationOutcome, ValidationRequest } from '../domain/charging/validate-single-email.ts';
import { type ChargingRouteOptions, chargingRoute } from './charging-route.ts';

export type Validate = (request: ValidationRequest) => Promise<ValidationOutcome>;

export function validateSingleEmailRoute(options: ChargingRouteOptions, validate: Validate): Route {
  return chargingRoute(validateSingleEmail, options, async ({ body, query }, { caller, runId, signal }) => {
    const { accountId } = caller;
    const cause = validateSingleEmail.id;
    const outcome = await validate({ accountId, runId, cause, email: body.email, signal });
    return {
      ...outcome,
      result: {
        ...answerOf(body.email.input, outcome),
        details: query.details ? outcome.verdict.details : undefined,
      },
    };
  });
}

/** What a customer gets to know of one address; `details` aside. */
export function answerOf(
  email: string,
  outcome: ValidationOutcome,
): Omit<OperationResult<typeof validateSingleEmail>, 'details'> {
  const { verdict, charged } = outcome;
  return {
    email,
    valid: isDeliverable(verdict.result),
    result: verdict.result,
    mx_domain: verdict.mxDomain,
    email_type: verdict.emailType,
    mx_provider: verdict.mxProvider,
    credits_consumed: charged,
    mx_secure_email_gateway: verdict.secureEmailGateway,
  };
}
