import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { limits, sumUsage } from '@mailproof/shared-types';
import { daysIn, type ReadUsage } from '../domain/usage.ts';

export function sumUsageRoute(guard: Guard<unknown>, read: ReadUsage): Route {
  return route(sumUsage, guard, async ({ params, query }) => {
    const days = daysIn(query);
    if (days < 1 || days > limits.usageDaysMax) {
      throw new Problem('invalid_request', { detail: `Ask for 1 to ${limits.usageDaysMax} days.` });
    }
    return { days: await read(params.accountId, query) };
  });
}
