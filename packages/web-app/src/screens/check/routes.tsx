import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../shell/root-route.tsx';

export const checkRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/check',
    component: lazyRouteComponent(() => import('./check-screen.tsx'), 'CheckScreen'),
  }),
] as const;
