import { type Guard, type ReadAccountPage, type Route, route } from '@mailproof/service-kit';
import { exportAccountProfiles } from '@mailproof/shared-types';

export function exportAccountProfilesRoute(guard: Guard<unknown>, readPage: ReadAccountPage): Route {
  return route(exportAccountProfiles, guard, ({ params, query }) => readPage(params.accountId, query.cursor));
}
