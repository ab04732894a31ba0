import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../shell/root-route.tsx';
import { asAction, asRowState, asStatus, asTarget } from './export-words.ts';

export const exportsRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/exports',
    validateSearch: ({ status, target }) => ({ status: asStatus(status), target: asTarget(target) }),
    component: lazyRouteComponent(() => import('./exports-screen.tsx'), 'ExportsScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/exports/$exportId',
    validateSearch: ({ rows, action }) => ({ rows: asRowState(rows), action: asAction(action) }),
    component: lazyRouteComponent(() => import('./export-screen.tsx'), 'ExportScreen'),
  }),
] as const;
