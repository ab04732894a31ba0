import { crmProviders } from '@mailproof/shared-types';
import { layout } from './layout.ts';

/**
 * The page that CRMs send browsers back to. What they bring stands in the query; the page's script sends it on from our own
 * origin, where the session's cookie is sent whatever page the browser comes from, and takes it out of the history first.
 * It needs no press of a button: its state is of use to nobody but the user who began, and once.
 */
export function crmCallbackPage(): string {
  return layout(
    'Connect a CRM',
    `<h1 id="heading">Connect a CRM</h1>
<noscript><p>This page needs JavaScript to complete the connection. Switch it on, then connect the CRM once more.</p></noscript>
<p id="message" role="status"></p>
<p><button id="button" type="button" hidden>Try again</button></p>
<script src="/crm/callback.js"></script>`,
  );
}

/** What the page does with what the CRM gave the browser. */
export function crmCallbackScript(): string {
  return `'use strict';
const names = ${JSON.stringify(crmProviders)};
// The state of these is still good: nothing was done.
const again = ['not_signed_in', 'too_many_failed_attempts', 'rate_limited', 'service_unavailable'];
const byId = id => document.getElementById(id);
const given = new URLSearchParams(location.search);
const [state, code, error] = ['state', 'code', 'error'].map(name => given.get(name));
history.replaceState(null, '', location.pathname);
if (!state || !(code || error)) {
  byId('message').textContent = 'This address is not complete. Connect the CRM once more from Mailproof.';
} else {
  byId('button').addEventListener('click', () => complete());
  complete();
}
async function complete() {
  byId('button').hidden = true;
  byId('message').textContent = 'Completing the connection …';
  try {
    const response = await fetch('/app/v1/crm-connections/completion', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(code ? { state, code } : { state, error }),
    });
    const answer = await response.json();
    byId('button').hidden = response.ok || !again.includes(answer.code);
    byId('message').textContent = response.ok ? connected(answer) : refused(answer);
  } catch {
    byId('button').hidden = false;
    byId('message').textContent = 'Mailproof did not answer. Try again.';
  }
}
function connected({ provider, organisation }) {
  return (names[provider] ?? 'The CRM') + ' is connected: ' + organisation.name + '. You can close this page.';
}
function refused({ code, title, detail }) {
  return code === 'not_signed_in'
    ? 'You are not signed in to Mailproof in this browser. Sign in in another tab, then try again.'
    : title + '. ' + (detail ?? '');
}
`;
}
