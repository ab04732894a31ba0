import escapeHtml from 'escape-html';
import type { Page } from './layout.ts';

/** What the sign-in page shows. */
export interface SignInView {
  /** Where its forms go; `/sign-in` and `/decision` follow. */
  readonly path: string;
  readonly csrfToken: string;
  readonly clientName: string;
  readonly applicationUrl: string;
  readonly formActions: readonly string[];
  /** What was typed before, when it did not work. */
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
<p class="soft">No account yet, or the password forgotten? <a href="${application}">Go to Mailproof</a>, then start again from your assistant.</p>`,
  };
}

export function csrfInput(csrfToken: string): string {
  return `<input type="hidden" name="csrf" value="${escapeHtml(csrfToken)}">`;
}

/** A name that anybody may have chosen: in quotes and of its own direction, so that it cannot pass for our words. */
export function quoted(name: string): string {
  return `<bdi>“${escapeHtml(name)}”</bdi>`;
}
