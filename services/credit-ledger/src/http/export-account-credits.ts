import { type Guard, type ReadAccountPage, type Route, route } from '@mailproof/service-kit';
import { exportAccountCredits } from '@mailproof/shared-types';

export function exportAccountCreditsRoute(guard: Guard<unknown>, readPage: ReadAccountPage): Route {
  return route(exportAccountCredits, guard, ({ params, query }) => readPage(params.accountId, query.cursor));
}
