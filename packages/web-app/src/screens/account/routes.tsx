import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../shell/root-route.tsx';

export const accountRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/account',
    component: lazyRouteComponent(() => import('./plan-screen.tsx'), 'PlanScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/account/api-key',
    component: lazyRouteComponent(() => import('./api-key-screen.tsx'), 'ApiKeyScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/account/members',
    component: lazyRouteComponent(() => import('./members-screen.tsx'), 'MembersScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/account/security',
    component: lazyRouteComponent(() => import('./security-screen.tsx'), 'SecurityScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/account/notices',
    component: lazyRouteComponent(() => import('./notices-screen.tsx'), 'NoticesScreen'),
  }),
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/account/details',
    component: lazyRouteComponent(() => import('./details-screen.tsx'), 'DetailsScreen'),
  }),
] as const;
