import { type Guard, type Route, route } from '@mailproof/service-kit';
import { takeCrmRows } from '@mailproof/shared-types';
import type { TakeJobIn } from '../domain/intake/take-job-in.ts';
import { takenIn } from './taken-in.ts';

export function takeCrmRowsRoute(guard: Guard<unknown>, take: TakeJobIn): Route {
  return route(takeCrmRows, guard, ({ params: { accountId, userId, jobId }, query, body }, context) => {
    const { name, address_column: addressColumn, replaces } = query;
    const source = { origin: 'crm', octets: body, addressColumn, jobId, replaces } as const;
    return takenIn(take, { accountId, userId, name, source }, context);
  });
}
