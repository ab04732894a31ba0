import escapeHtml from 'escape-html';
import type { Page } from './layout.ts';

/** A page that says what went wrong and what to do. */
export function faultPage(fault: {
  heading: string;
  text: string;
  code?: string;
  link?: { address: string; text: string };
}): Page {
  const { link } = fault;
  return {
    title: fault.heading,
    main: `<h1>${escapeHtml(fault.heading)}</h1>
<p>${escapeHtml(fault.text)}</p>
${link === undefined ? '' : `<p><a href="${escapeHtml(link.address)}" rel="noreferrer">${escapeHtml(link.text)}</a></p>`}
${fault.code === undefined ? '' : `<p class="soft">Error code for the assistant’s developer: ${escapeHtml(fault.code)}</p>`}`,
  };
}

/** The page for a sign-in that has expired, that was already completed, or that another browser started. */
export function signInOverPage(): Page {
  return faultPage({
    heading: 'This sign-in has expired',
    text: 'It was already completed, took too long, or was started in another browser. Nothing was connected. Start again from your assistant.',
  });
}

export function formExpiredPage(): Page {
  return faultPage({
    heading: 'This form is no longer valid',
    text: 'The form is not from the page that this browser showed last. Go back to your assistant and start again.',
  });
}

/** The page for a request that exceeds a limit, or that cannot be handled at the moment. */
export function waitPage(status: number, retryInSeconds: number): Page {
  return faultPage({
    heading: status === 429 ? 'Too many requests' : 'Mailproof is temporarily unavailable',
    text: `${status === 429 ? 'Too many requests came from your network.' : 'Part of Mailproof is unavailable.'} Try again in ${retryInSeconds} seconds.`,
  });
}
