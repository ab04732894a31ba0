import { createRootRoute, Outlet, useRouter } from '@tanstack/react-router';
import { Suspense } from 'react';
import { LinkButton } from '../design/button.tsx';
import { Page } from '../design/layout.tsx';
import { Empty, Failure, Loading } from '../design/states.tsx';
import { Toasts } from '../design/toasts.tsx';

/** What all screens have in common. */
export const rootRoute = createRootRoute({
  component: () => (
    <>
      <Suspense fallback={<Loading />}>
        <Outlet />
      </Suspense>
      <Toasts />
    </>
  ),
  notFoundComponent: () => (
    <Page title="There is nothing here">
      <Empty title="This address leads nowhere" action={<LinkButton to="/">Go home</LinkButton>}>
        What it led to may have been deleted, or the address is not complete.
      </Empty>
    </Page>
  ),
  errorComponent: Broken,
});

/** Where a screen could not be shown; what it needed ahead of that is asked for again. */
function Broken({ error }: { readonly error: unknown }) {
  const router = useRouter();
  return (
    <Page title="Something went wrong">
      <Failure error={error} onRetry={() => void router.invalidate()} />
    </Page>
  );
}
