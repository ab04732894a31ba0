import { type Guard, type Route, route } from '@mailproof/service-kit';
import { forwarded, listCrmSegments } from '@mailproof/shared-types';
import type { ConnectedCrms } from '../domain/crm/crm-access.ts';
import { orCrmProblem } from './crm-problem.ts';
import { findCrm, refuseOtherObjects } from './find-crm.ts';

export function listCrmSegmentsRoute(guard: Guard<unknown>, connected: ConnectedCrms): Route {
  return route(forwarded(listCrmSegments), guard, async ({ params, query: { object } }, { signal }) => {
    const crm = await findCrm(connected, params);
    refuseOtherObjects(crm, object, '?/object');
    const segments = await orCrmProblem(crm.segments(object, signal));
    return {
      segments: segments.map(({ segmentId, name, records }) => ({ segment_id: segmentId, name, records })),
    };
  });
}
