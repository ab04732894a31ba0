import { type Guard, type Route, route } from '@mailproof/service-kit';
import { createValidationJobFromList, forwarded } from '@mailproof/shared-types';
import type { TakeJobIn } from '../domain/intake/take-job-in.ts';
import { takenIn } from './taken-in.ts';

const operation = forwarded(createValidationJobFromList);

export function createValidationJobFromListRoute(guard: Guard<unknown>, take: TakeJobIn): Route {
  return route(operation, guard, ({ params, query, body }, context) =>
    takenIn(take, { ...params, name: query.name, source: { origin: 'list', octets: body } }, context),
  );
}
