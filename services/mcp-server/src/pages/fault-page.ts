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
${fault.code === undefined ? '' : `<p class="soft">For the assistant’s makers: ${escapeHtml(fault.code)}</p>`}`,
  };
}

/** For a sign-in whose time is over, that was answered already, or that another browser began. */
export function signInOverPage(): Page {
  return faultPage({
    heading: 'This sign-in is over',
    text: 'It was answered already, took too long, or was started in another browser. Nothing was connected here. Start again from your assistant.',
  });
}

export function formExpiredPage(): Page {
  return faultPage({
    heading: 'This form cannot be used',
    text: 'It did not come from the page that this browser was shown last. Go back to your assistant and start again.',
  });
}

/** For a request too many, or one that nobody can answer at the moment. */
export function waitPage(status: number, retryInSeconds: number): Page {
  return faultPage({
    heading: status === 429 ? 'Too many requests' : 'This does not work right now',
    text: `${status === 429 ? 'Too many requests came from your network.' : 'A part of Mailproof is not available.'} Try again in ${retryInSeconds} seconds.`,
  });
}
