import { type Guard, type ReadAccountPage, type Route, route } from '@mailproof/service-kit';
import { exportAccountOutcomes } from '@mailproof/shared-types';

export function exportAccountOutcomesRoute(guard: Guard<unknown>, readPage: ReadAccountPage): Route {
  return route(exportAccountOutcomes, guard, ({ params, query }) => readPage(params.accountId, query.cursor));
}
