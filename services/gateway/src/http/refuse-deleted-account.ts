import { Problem, type Route } from '@mailproof/service-kit';
import type { Operation, ProblemCode } from '@mailproof/shared-types';

/**
 * An account, or one of its users, can be deleted after a request passes its guard; the work then has no owner. Answers
 * as the next request will be answered.
 */
export function refuseDeletedAccount(
  route: Route,
  isDeletedAccountFault: (error: unknown) => boolean,
): Route {
  const { operation, handle } = route;
  return {
    operation,
    handle: async (request, response, next) => {
      try {
        await handle(request, response, next);
      } catch (error) {
        throw isDeletedAccountFault(error) ? new Problem(codeOf(operation), { cause: error }) : error;
      }
    },
  };
}

function codeOf({ access, problems }: Operation): ProblemCode {
  switch (access.kind) {
    case 'apiKey':
      return 'invalid_api_key';
    case 'session':
      return 'not_signed_in';
    case 'secretUrl':
      return 'outcome_source_not_found';
    case 'service':
      // A retry is told that there is no such user.
      return 'service_unavailable';
    default:
      return problems.includes('wrong_credentials') ? 'wrong_credentials' : 'link_not_valid';
  }
}
