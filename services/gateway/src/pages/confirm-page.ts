import { limits } from '@mailproof/shared-types';
import { layout } from './layout.ts';

/**
 * The page that links in mails lead to. What the link is for and its token stand in the fragment, which the browser
 * keeps to itself; the page sends them once its reader presses the button, so that no scanner of mail uses a link up. The
 * field has no `maxlength`: browsers cut off what is pasted without a word, and the reader would not know the password.
 */
export function confirmPage(): string {
  return layout(
    'Confirm',
    `<h1 id="heading">Confirm</h1>
<noscript><p>This page needs JavaScript: what makes the link yours is in a part of it that only the browser sees.</p></noscript>
<form id="form" hidden>
<p id="password-row" hidden>
<label for="password">New password (${limits.passwordCharactersMin} characters or more)</label><br>
<input id="password" type="password" autocomplete="new-password" minlength="${limits.passwordCharactersMin}">
</p>
<p><button id="button" type="submit">Confirm</button></p>
</form>
<p id="message" role="status"></p>
<script src="/confirm.js"></script>`,
  );
}

/** What the page does, for each purpose of a link. */
export function confirmScript(): string {
  return `'use strict';
const purposes = {
  sign_up: { heading: 'Make your account', path: '/app/v1/sign-ups/confirmation', password: true, done: 'Your account is there, and you have signed in.' },
  password_reset: { heading: 'Set a new password', path: '/app/v1/password-resets/confirmation', password: true, done: 'The password is set. Sign in with it.' },
  email_change: { heading: 'Use this address', path: '/app/v1/email-changes/confirmation', done: 'Your address has changed.' },
  opt_out: { heading: 'Leave the person out', path: '/app/v1/opt-outs/confirmation', done: 'It is done. What was kept is deleted, and the person is left out from now on.' },
  invitation: { heading: 'Accept the invitation', path: '/app/v1/members/invitations/confirmation', password: true, done: 'You are a member of the account, and you have signed in.' },
};
const byId = id => document.getElementById(id);
const given = new URLSearchParams(location.hash.slice(1));
const token = given.get('token');
const purpose = Object.hasOwn(purposes, given.get('for') ?? '') ? purposes[given.get('for')] : undefined;
// The link works once, but need not lie about in the history until then.
history.replaceState(null, '', location.pathname);
if (!token || !purpose) {
  byId('message').textContent = 'This link is not complete. Copy it whole from the mail.';
} else {
  byId('heading').textContent = purpose.heading;
  byId('button').textContent = purpose.heading;
  byId('password-row').hidden = !purpose.password;
  byId('password').required = Boolean(purpose.password);
  byId('form').hidden = false;
  byId('form').addEventListener('submit', event => {
    event.preventDefault();
    confirmLink();
  });
}
async function confirmLink() {
  byId('button').disabled = true;
  byId('message').textContent = '';
  try {
    const response = await fetch(purpose.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token, ...(purpose.password && { password: byId('password').value }) }),
    });
    const answer = await response.json();
    byId('form').hidden = response.ok;
    byId('message').textContent = response.ok ? purpose.done : answer.detail ?? answer.title;
  } catch {
    byId('message').textContent = 'Mailproof did not answer. Try again.';
  }
  byId('button').disabled = false;
}
`;
}
