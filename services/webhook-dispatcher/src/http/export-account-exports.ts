import { type Guard, type ReadAccountPage, type Route, route } from '@mailproof/service-kit';
import { exportAccountExports } from '@mailproof/shared-types';

export function exportAccountExportsRoute(guard: Guard<unknown>, readPage: ReadAccountPage): Route {
  return route(exportAccountExports, guard, ({ params, query }) => readPage(params.accountId, query.cursor));
}
