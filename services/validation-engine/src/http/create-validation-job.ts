import { type Guard, type Route, route } from '@mailproof/service-kit';
import { createValidationJob, forwarded } from '@mailproof/shared-types';
import type { TakeJobIn } from '../domain/intake/take-job-in.ts';
import { takenIn } from './taken-in.ts';

const operation = forwarded(createValidationJob);

export function createValidationJobRoute(guard: Guard<unknown>, take: TakeJobIn): Route {
  return route(operation, guard, ({ params, query, body }, context) => {
    const { name, delimiter, encoding, has_header: hasHeader } = query;
    const given = {
      ...(delimiter !== undefined && { delimiter }),
      ...(encoding !== undefined && { encoding }),
      ...(hasHeader !== undefined && { hasHeader }),
    };
    return takenIn(take, { ...params, name, source: { origin: 'file', octets: body, given } }, context);
  });
}
