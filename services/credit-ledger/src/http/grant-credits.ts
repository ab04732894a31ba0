import { type Guard, type Route, route } from '@mailproof/service-kit';
import { grantCredits } from '@mailproof/shared-types';
import type { LedgerStore } from '../domain/ledger.ts';
import { grantAnswerOf } from './grant-answer.ts';

export function grantCreditsRoute(guard: Guard<unknown>, store: Pick<LedgerStore, 'grant'>): Route {
  return route(grantCredits, guard, async ({ body }) => {
    const expiresAt = body.expiresAt === null ? null : new Date(body.expiresAt);
    return grantAnswerOf(
      await store.grant({ ...body, expiresAt }),
      'This grant was made before with another account, kind, amount, expiry or cause.',
    );
  });
}
