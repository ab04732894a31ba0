import { createRootRoute, createRoute, Outlet, useRouter } from '@tanstack/react-router';
import { Suspense } from 'react';
import { LinkButton } from '../design/button.tsx';
import { Downloads } from '../design/downloads.tsx';
import { Page } from '../design/layout.tsx';
import { Empty, Failure, Loading } from '../design/states.tsx';
import { Toasts } from '../design/toasts.tsx';
import { markEntry } from './marked-history.ts';
import { requireSession } from './session.ts';
import styles from './shell.module.css';
import { Shell } from './shell.tsx';

/** The root of all screens. */
export const rootRoute = createRootRoute({
  component: () => (
    <>
      <Suspense fallback={<Loading />}>
        <Outlet />
      </Suspense>
      <div className={styles.corner}>
        <Downloads />
        <Toasts />
      </div>
    </>
  ),
  notFoundComponent: () => (
    <main className={styles.main}>
      <Page title="Page not found">
        <Empty title="No page has this URL" action={<LinkButton to="/">Go to the home page</LinkButton>}>
          The page may have been deleted, or the URL is incomplete.
        </Empty>
      </Page>
    </main>
  ),
  errorComponent: Broken,
});

/** Shown if a screen fails to render; a retry loads its data again. */
function Broken({ error }: { readonly error: unknown }) {
  const router = useRouter();
  return (
    <main className={styles.main}>
      <Page title="Something went wrong">
        <Failure error={error} onRetry={() => void router.invalidate()} />
      </Page>
    </main>
  );
}

/** The parent of every screen that needs a session. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: 'signed-in',
  beforeLoad: async ({ location }) => markEntry(await requireSession(location)),
  component: Shell,
});
