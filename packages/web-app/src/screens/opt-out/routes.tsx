import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';

/** For people who are no customers. */
export const optOutRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/opt-out',
    component: lazyRouteComponent(() => import('./opt-out-screen.tsx'), 'OptOutScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/opt-out/domain',
    component: lazyRouteComponent(() => import('./do-not-probe-screen.tsx'), 'DoNotProbeScreen'),
  }),
] as const;
