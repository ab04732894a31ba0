import { type Guard, type Route, route } from '@mailproof/service-kit';
import { forwarded, listCrmProperties } from '@mailproof/shared-types';
import type { ConnectedCrms } from '../domain/crm/crm-access.ts';
import { orCrmProblem } from './crm-problem.ts';
import { findCrm, refuseOtherObjects } from './find-crm.ts';

export function listCrmPropertiesRoute(guard: Guard<unknown>, connected: ConnectedCrms): Route {
  return route(forwarded(listCrmProperties), guard, async ({ params, query: { object } }, { signal }) => {
    const crm = await findCrm(connected, params);
    refuseOtherObjects(crm, object, '?/object');
    return { properties: [...(await orCrmProblem(crm.properties(object, signal)))] };
  });
}
