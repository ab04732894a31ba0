import { type Guard, type Route, route } from '@mailproof/service-kit';
import { requestDoNotProbe } from '@mailproof/shared-types';
import type { DoNotProbePort } from '../domain/do-not-probe-port.ts';

export function requestDoNotProbeRoute(
  guard: Guard<undefined>,
  record: DoNotProbePort['recordDoNotProbe'],
): Route {
  return route(requestDoNotProbe, guard, async ({ body }, { signal }) => {
    const { txtName, txtValue, ...recorded } = await record(body, signal);
    return { ...recorded, txt_name: txtName, txt_value: txtValue };
  });
}
