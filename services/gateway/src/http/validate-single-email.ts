import { type Guard, type Route, route } from '@mailproof/service-kit';
import { isDeliverable, type OperationResult, validateSingleEmail } from '@mailproof/shared-types';
import type { Account } from '../domain/account.ts';
import type { ValidationOutcome, ValidationRequest } from '../domain/validate-single-email.ts';

export function validateSingleEmailRoute(
  guard: Guard<Account>,
  validate: (request: ValidationRequest) => Promise<ValidationOutcome>,
): Route {
  return route(
    validateSingleEmail,
    guard,
    async ({ body, query }, { caller, requestId, signal, setHeader }) => {
      const outcome = await validate({ accountId: caller.accountId, requestId, email: body.email, signal });
      setHeader('x-credits-remaining', outcome.creditsRemaining);
      return {
        ...answerOf(body.email.input, outcome),
        details: query.details ? outcome.verdict.details : undefined,
      };
    },
  );
}

function answerOf(email: string, outcome: ValidationOutcome): OperationResult<typeof validateSingleEmail> {
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
