import { createRouter } from '@tanstack/react-router';
import { accessRoutes } from './screens/access/routes.tsx';
import { accountRoutes } from './screens/account/routes.tsx';
import { checkRoutes } from './screens/check/routes.tsx';
import { exportsRoutes } from './screens/exports/routes.tsx';
import { homeRoutes } from './screens/home/routes.tsx';
import { crmCallbackRoute, integrationsRoutes } from './screens/integrations/routes.tsx';
import { lookalikeRoutes } from './screens/lookalikes/routes.tsx';
import { optOutRoutes } from './screens/opt-out/routes.tsx';
import { savedRoutes } from './screens/saved/routes.tsx';
import { companiesRoutes, peopleRoutes } from './screens/searches/routes.tsx';
import { usageRoutes } from './screens/usage/routes.tsx';
import { validationRoutes } from './screens/validations/routes.tsx';
import { markedHistory } from './shell/marked-history.ts';
import { rootRoute, signedInRoute } from './shell/root-route.tsx';

/** The routes of the application. Each area lists its own screens, which are loaded when the user navigates to them. */
export const router = createRouter({
  basepath: '/app',
  history: markedHistory(),
  routeTree: rootRoute.addChildren([
    ...accessRoutes,
    ...optOutRoutes,
    crmCallbackRoute,
    signedInRoute.addChildren([
      ...homeRoutes,
      ...checkRoutes,
      ...validationRoutes,
      ...peopleRoutes,
      ...companiesRoutes,
      ...lookalikeRoutes,
      ...savedRoutes,
      ...exportsRoutes,
      ...integrationsRoutes,
      ...usageRoutes,
      ...accountRoutes,
    ]),
  ]),
  defaultPreload: 'intent',
  // TanStack Query is the only cache.
  defaultPreloadStaleTime: 0,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
