import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { rootRoute, signedInRoute } from '../../shell/root-route.tsx';
import { storeCrmCallback } from './crm-callback.ts';

/** The route to which CRMs redirect the browser. It needs no session: the screen itself asks the user to sign in. */
export const crmCallbackRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/crm/callback',
  beforeLoad({ location }) {
    // Runs before any load or request, so that the credentials do not stay in the history.
    if (storeCrmCallback(location.searchStr))
      throw redirect({ to: '/crm/callback', search: {}, replace: true });
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
    path: '/integrations/webhooks',
    component: lazyRouteComponent(() => import('./webhooks-screen.tsx'), 'WebhooksScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/integrations/webhooks/$endpointId',
    component: lazyRouteComponent(() => import('./webhook-screen.tsx'), 'WebhookScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/integrations/delivery-reports',
    component: lazyRouteComponent(() => import('./outcome-sources-screen.tsx'), 'OutcomeSourcesScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/integrations/delivery-reports/$sourceId',
    component: lazyRouteComponent(() => import('./outcome-source-screen.tsx'), 'OutcomeSourceScreen'),
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
      // The rows to push: the id of a validation job or of a list, `saved_people`, or `saved_companies`.
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
