import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';
import { signedInRoute } from '../../shell/signed-in-route.tsx';
import { keepGiven } from './crm-given.ts';

/** Where CRMs send browsers back to. It is for everybody, since it says itself that somebody has not signed in. */
export const crmCallbackRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/crm/callback',
  beforeLoad({ location }) {
    // Before anything is loaded or asked: what gives access stays in no history.
    if (keepGiven(location.searchStr)) throw redirect({ to: '/crm/callback', search: {}, replace: true });
  },
  component: lazyRouteComponent(() => import('./crm-callback-screen.tsx'), 'CrmCallbackScreen'),
});

export const integrationsRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/integrations',
    component: lazyRouteComponent(() => import('./integrations-screen.tsx'), 'IntegrationsScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/integrations/profile-provider',
    component: lazyRouteComponent(() => import('./profile-provider-screen.tsx'), 'ProfileProviderScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/integrations/imports/$importId',
    component: lazyRouteComponent(() => import('./import-screen.tsx'), 'ImportScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/integrations/crm/$connectionId',
    component: lazyRouteComponent(() => import('./connection-screen.tsx'), 'ConnectionScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/integrations/crm/$connectionId/import',
    component: lazyRouteComponent(() => import('./connection-screen.tsx'), 'ImportRecordsScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/integrations/crm/$connectionId/push',
    validateSearch: ({ rows }): { rows?: string | undefined } => ({
      // Which rows: the id of a validation job or of a list, `saved_people`, or `saved_companies`.
      rows: typeof rows === 'string' ? rows : undefined,
    }),
    component: lazyRouteComponent(() => import('./connection-screen.tsx'), 'PushRowsScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/integrations/crm/$connectionId/properties',
    component: lazyRouteComponent(() => import('./connection-screen.tsx'), 'PropertiesScreen'),
  }),
] as const;
