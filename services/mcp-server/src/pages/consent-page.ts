import { type OauthScope, oauthScopes } from '@mailproof/shared-types';
import escapeHtml from 'escape-html';
import { type RedirectUriKind, redirectHostOf } from '../domain/oauth/redirect-uri.ts';
import type { Page } from './layout.ts';
import { csrfInput, quoted } from './sign-in-page.ts';

/** What the consent page shows. */
export interface ConsentView {
  /** Where its forms go; `/decision` and `/other-account` follow. */
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
<dt>The answer goes to</dt><dd>${escapeHtml(redirectHostOf(view.redirectUri))}</dd>
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
<p class="soft">It does not get your password or API key. You can disconnect it at any time in Mailproof, under <a href="${escapeHtml(view.applicationUrl)}/app/integrations" target="_blank" rel="noreferrer">Integrations</a>.</p>`,
  };
}

function knownBy({ verifiedHost }: ConsentView): string {
  return verifiedHost === undefined
    ? 'This is the name that it gave itself. Mailproof has not checked it: allow it only if you have just started this yourself.'
    : `It is published by <strong>${escapeHtml(verifiedHost)}</strong>, which gave it its name. Allow it only if you trust that site and have just started this yourself.`;
}

function warning(kind: RedirectUriKind): string {
  switch (kind) {
    case 'https':
      return '';
    case 'loopback':
      return '<p class="note">The answer goes to a program on the computer where you started this. Another program on that computer could receive it instead.</p>';
    case 'app':
      return '<p class="note">The answer goes to an app on this computer. Another program that uses the same kind of link could receive it instead.</p>';
  }
}
