import type { Movements } from '@mailproof/shared-types';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { type Period, readPeriod } from '../../ledger/spending.ts';
import { signedInRoute } from '../../shell/root-route.tsx';
import { readMovements } from './statement-words.ts';

interface PeriodSearch {
  readonly period?: Period | undefined;
}

function periodSearch({ period }: Record<string, unknown>): PeriodSearch {
  return { period: readPeriod(period) };
}

export const usageRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/usage',
    validateSearch: periodSearch,
    component: lazyRouteComponent(() => import('./usage-screen.tsx'), 'UsageScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/usage/statement',
    validateSearch: (search): PeriodSearch & { readonly show?: Movements | undefined } => ({
      ...periodSearch(search),
      show: readMovements(search['show']),
    }),
    component: lazyRouteComponent(() => import('./statement-screen.tsx'), 'StatementScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/usage/receipts',
    validateSearch: periodSearch,
    component: lazyRouteComponent(() => import('./receipts-screen.tsx'), 'ReceiptsScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/usage/receipts/$runId',
    component: lazyRouteComponent(() => import('./receipts-screen.tsx'), 'ReceiptScreen'),
  }),
] as const;
