import { type Guard, type Route, route } from '@mailproof/service-kit';
import { createValidationJob, forwarded } from '@mailproof/shared-types';
import type { TakeJobIn } from '../domain/intake/take-job-in.ts';
import { takenIn } from './taken-in.ts';

const operation = forwarded(createValidationJob);

/** @param silentMsMax time in which nothing of a file comes, where it is another than the contract's */
export function createValidationJobRoute(
  guard: Guard<unknown>,
  take: TakeJobIn,
  silentMsMax?: number,
): Route {
  const timed = { ...operation, ...(silentMsMax !== undefined && { bodySilentMsMax: silentMsMax }) };
  return route(timed, guard, ({ params, query, body }, context) => {
    const { name, delimiter, encoding, has_header: hasHeader } = query;
    const given = {
      ...(delimiter !== undefined && { delimiter }),
      ...(encoding !== undefined && { encoding }),
      ...(hasHeader !== undefined && { hasHeader }),
    };
    return takenIn(take, { ...params, name, source: { origin: 'file', octets: body, given } }, context);
  });
}
