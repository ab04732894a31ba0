import { Problem, type Route } from '@mailproof/service-kit';
import type { Operation, ProblemCode } from '@mailproof/shared-types';

/**
 * An account, or one of its people, can be deleted between the guard of a request and its work, which then finds nothing
 * to belong to. The answer is the one that the next request gets.
 */
export function refusingGoneAccount(route: Route, isOfGoneAccount: (error: unknown) => boolean): Route {
  const { operation, handle } = route;
  return {
    operation,
    handle: async (request, response, next) => {
      try {
        await handle(request, response, next);
      } catch (error) {
        throw isOfGoneAccount(error) ? new Problem(codeOf(operation), { cause: error }) : error;
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
    case 'service':
      // Asked again, the answer is that there is no such user.
      return 'service_unavailable';
    default:
      return problems.includes('wrong_credentials') ? 'wrong_credentials' : 'link_not_valid';
  }
}
