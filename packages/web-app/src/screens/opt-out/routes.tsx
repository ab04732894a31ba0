import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rootRoute } from '../../shell/root-route.tsx';

/** The screens for people who are not customers. */
export const optOutRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/opt-out',
    component: lazyRouteComponent(() => import('./opt-out-screens.tsx'), 'OptOutScreen'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: '/opt-out/domain',
    component: lazyRouteComponent(() => import('./opt-out-screens.tsx'), 'DoNotProbeScreen'),
  }),
] as const;
