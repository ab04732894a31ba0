import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedInRoute } from '../../shell/root-route.tsx';

export const homeRoutes = [
  createRoute({
    getParentRoute: () => signedInRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./home-screen.tsx'), 'HomeScreen'),
  }),
] as const;
