import { type Guard, type ReadAccountPage, type Route, route } from '@mailproof/service-kit';
import { exportAccountAssistants } from '@mailproof/shared-types';

export function exportAccountAssistantsRoute(guard: Guard<unknown>, readPage: ReadAccountPage): Route {
  return route(exportAccountAssistants, guard, ({ params, query }) =>
    readPage(params.accountId, query.cursor),
  );
}
