import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { setNonce } from 'get-nonce';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '@fontsource-variable/inter/wght.css';
import './design/tokens.css';
import './design/base.css';
import { queryClient } from './api/client.ts';
import { announce } from './design/toasts.tsx';
import { router } from './routes.tsx';
import { keepFocus } from './shell/kept-focus.ts';
import { changeEntry } from './shell/marked-history.ts';
import { followSession } from './shell/session.ts';
import { followTheme } from './shell/theme.ts';

followTheme();
keepFocus();
// Dialogs add a style that prevents the page behind them from scrolling; the Content Security Policy allows it by its
// nonce.
const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce;
if (nonce) setNonce(nonce);

const root = document.getElementById('root');
if (!root) throw new Error('The page has no root element for the application.');
const app = createRoot(root);
followSession(app, router);
app.render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);

const { said } = router.history.location.state;
if (said !== undefined) {
  announce(said);
  changeEntry({ said: undefined });
}
