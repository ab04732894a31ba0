import { type OauthScope, oauthScopes } from '@mailproof/shared-types';
import escapeHtml from 'escape-html';
import { type RedirectUriKind, redirectHostOf } from '../domain/oauth/redirect-uri.ts';
import type { Page } from './layout.ts';

/** What the sign-in page shows. */
interface SignInView {
  /** The base path of its forms, to which `/sign-in` or `/decision` is added. */
  readonly path: string;
  readonly csrfToken: string;
  readonly clientName: string;
  readonly applicationUrl: string;
  readonly formActions: readonly string[];
  /** The address that the user typed in an earlier attempt that failed. */
  readonly email?: string;
  readonly fault?: string;
}

export function signInPage(view: SignInView): Page {
  const { path, fault } = view;
  const csrf = csrfInput(view.csrfToken);
  const described = fault === undefined ? '' : ' aria-describedby="fault" aria-invalid="true"';
  const application = escapeHtml(view.applicationUrl);
  return {
    title: 'Sign in',
    formActions: view.formActions,
    main: `<h1>Sign in to connect ${quoted(view.clientName)}</h1>
${fault === undefined ? '' : `<p class="bad" id="fault" role="alert">${escapeHtml(fault)}</p>`}
<form method="post" action="${escapeHtml(path)}/sign-in">
${csrf}
<label for="email">Email address</label>
<input id="email" name="email" type="email" autocomplete="username" required maxlength="320" value="${escapeHtml(view.email ?? '')}"${view.email ? '' : ' autofocus'}${described}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${view.email ? ' autofocus' : ''}${described}>
<button class="wide" type="submit">Sign in</button>
</form>
<form method="post" action="${escapeHtml(path)}/decision">
${csrf}
<button class="wide quiet" type="submit" name="decision" value="cancel">Cancel</button>
</form>
<p class="soft">No account yet, or forgot your password? <a href="${application}">Go to Mailproof</a>, then start again from your assistant.</p>`,
  };
}

function csrfInput(csrfToken: string): string {
  return `<input type="hidden" name="csrf" value="${escapeHtml(csrfToken)}">`;
}

/** Quotes a name that anyone may have chosen and isolates its direction, so that it cannot pass for our text. */
function quoted(name: string): string {
  return `<bdi>“${escapeHtml(name)}”</bdi>`;
}

/** What the consent page shows. */
interface ConsentView {
  /** The base path of its forms, to which `/decision` or `/other-account` is added. */
  readonly path: string;
  readonly csrfToken: string;
  readonly clientName: string;
  /** The host that published the client's metadata document, if it did. */
  readonly verifiedHost: string | undefined;
  readonly redirectUri: string;
  readonly redirectKind: RedirectUriKind;
  readonly scopes: readonly OauthScope[];
  readonly accountName: string;
  readonly email: string;
  readonly applicationUrl: string;
  readonly formActions: readonly string[];
}

export function consentPage(view: ConsentView): Page {
  const csrf = csrfInput(view.csrfToken);
  const path = escapeHtml(view.path);
  return {
    title: 'Connect an assistant',
    formActions: view.formActions,
    main: `<h1>Connect ${quoted(view.clientName)} to your account?</h1>
<p>${knownBy(view)}</p>
<dl>
<dt>Account</dt><dd>${escapeHtml(view.accountName)}</dd>
<dt>Signed in as</dt><dd>${escapeHtml(view.email)}</dd>
<dt>Redirects to</dt><dd>${escapeHtml(redirectHostOf(view.redirectUri))}</dd>
</dl>
<h2>It will be able to</h2>
<ul>
${view.scopes.map(scope => `<li>${escapeHtml(oauthScopes[scope])}</li>`).join('\n')}
</ul>
${warning(view.redirectKind)}
<form method="post" action="${path}/decision">
${csrf}
<div class="row">
<button type="submit" name="decision" value="allow">Allow</button>
<button class="quiet" type="submit" name="decision" value="cancel">Cancel</button>
</div>
</form>
<form method="post" action="${path}/other-account">
${csrf}
<p class="soft">Not you? <button class="link" type="submit">Use another account</button></p>
</form>
<p class="soft">It never receives your password or API key. You can disconnect it at any time in Mailproof under <a href="${escapeHtml(view.applicationUrl)}/app/integrations" target="_blank" rel="noreferrer">Integrations</a>.</p>`,
  };
}

function knownBy({ verifiedHost }: ConsentView): string {
  return verifiedHost === undefined
    ? 'The assistant chose this name. Mailproof has not verified it: allow it only if you have just started this yourself.'
    : `It is published by <strong>${escapeHtml(verifiedHost)}</strong>, which chose its name. Allow it only if you trust that site and have just started this yourself.`;
}

function warning(kind: RedirectUriKind): string {
  switch (kind) {
    case 'https':
      return '';
    case 'loopback':
      return '<p class="note">The response goes to a program on the computer where you started this. Another program on that computer could receive it instead.</p>';
    case 'app':
      return '<p class="note">The response goes to an app on this computer. Another program that uses the same kind of link could receive it instead.</p>';
  }
}
