import { type HTMLElement, parse } from 'node-html-parser';
import { CookieJar } from 'tough-cookie';

const redirectsMax = 20;
const timeoutMs = 120_000;

/** One response of the tool server, as a user sees it in a browser. */
export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly title: string;
  /** All words on the page, in reading order. */
  readonly text: string;
  readonly document: HTMLElement;
}

/** The end of a chain of redirects: a page, or another site's address. */
export interface Arrival {
  readonly pages: readonly Page[];
  /** The address outside the tool server to which the browser was redirected, without following it. */
  readonly sentTo?: URL;
}

/** A user's browser: keeps cookies, follows redirects and submits the forms of a page. */
export class Browser {
  readonly cookies = new CookieJar();
  private readonly origins: readonly string[];
  private readonly userAgent: string;

  /** @param urls the URLs of the tool servers; every other origin is outside. */
  constructor(urls: readonly string[], userAgent = 'Mozilla/5.0 (tests)') {
    this.origins = urls.map(url => new URL(url).origin);
    this.userAgent = userAgent;
  }

  /** Opens an address and follows redirects to a page or until one leads outside. */
  async open(url: string | URL, init: RequestInit = {}): Promise<Arrival> {
    let next = new URL(url);
    let request: RequestInit = init;
    for (let turns = 0; turns < redirectsMax; turns += 1) {
      if (!this.origins.includes(next.origin)) return { pages: [], sentTo: next };
      const response = await this.send(next, request);
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || location === null) {
        return { pages: [await readPage(next, response)] };
      }
      await response.body?.cancel();
      next = new URL(location, next);
      request = {};
    }
    throw new Error(`There were more than ${redirectsMax} redirects.`);
  }

  /** Posts a form of the page with all its hidden inputs, as if by its button that matches `button`. */
  submit(page: Page, values: Readonly<Record<string, string>>, button: RegExp): Promise<Arrival> {
    const form = formWith(page, button);
    const body = new URLSearchParams();
    for (const input of form.querySelectorAll('input')) {
      const { name = '', type = 'text', value = '', checked } = input.attributes;
      if (name === '' || type === 'submit') continue;
      if (['checkbox', 'radio'].includes(type) && checked === undefined) continue;
      body.append(name, values[name] ?? value);
    }
    const pressed = buttonIn(form, button);
    const { name, value = '' } = pressed?.attributes ?? {};
    if (name) body.append(name, value);
    const { action = '' } = form.attributes;
    const target = new URL(action === '' ? page.url : new URL(action, page.url));
    if ((form.attributes['method'] ?? 'get').toLowerCase() !== 'post') {
      throw new Error(`The form of "${page.title}" does not post.`);
    }
    return this.open(target, {
      method: 'POST',
      body,
      // Browsers send `Origin` with a form (RFC 6454 section 7).
      headers: { origin: page.url.origin, referer: page.url.href },
    });
  }

  private async send(url: URL, init: RequestInit): Promise<Response> {
    const cookie = await this.cookies.getCookieString(url.href);
    const response = await fetch(url, {
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      ...init,
      headers: {
        accept: 'text/html',
        'user-agent': this.userAgent,
        ...(cookie && { cookie }),
        ...(init.headers as Record<string, string> | undefined),
      },
    });
    for (const line of response.headers.getSetCookie()) await this.cookies.setCookie(line, url.href);
    return response;
  }
}

/** What the user of the browser does. */
export interface Deeds {
  readonly email: string;
  readonly password: string;
  /** Whether the user grants the assistant's request; yes by default. */
  readonly allows?: boolean;
}

export interface SignedIn {
  readonly pages: readonly Page[];
  /** The redirect to the client, with the code or the error. */
  readonly redirect: URL;
}

const stepsMax = 6;

/** Opens an authorization URL, signs in if necessary, answers the consent page, and stops at the redirect. */
export async function signIn(
  browser: Browser,
  authorizationUrl: string | URL,
  deeds: Deeds,
): Promise<SignedIn> {
  const pages: Page[] = [];
  let arrival = await browser.open(authorizationUrl);
  for (let steps = 0; steps < stepsMax; steps += 1) {
    if (arrival.sentTo) return { pages, redirect: arrival.sentTo };
    const page = lastPage(arrival);
    pages.push(page);
    arrival = await answer(browser, page, deeds);
  }
  throw new Error(`Signing in did not end: ${pages.map(({ title }) => title).join(' → ')}.`);
}

/** Returns the page at the end of a chain of redirects. */
export function lastPage({ pages, sentTo }: Arrival): Page {
  const page = pages.at(-1);
  if (!page) throw new Error(`There is no page; the browser was sent to ${sentTo?.origin}.`);
  return page;
}

function answer(browser: Browser, page: Page, { email, password, allows = true }: Deeds): Promise<Arrival> {
  const passwordInput = page.document.querySelector('input[type=password]');
  if (passwordInput) {
    const emailInput = page.document.querySelector('input[type=email], input[autocomplete=username]');
    const values = { [nameOf(emailInput, page)]: email, [nameOf(passwordInput, page)]: password };
    return browser.submit(page, values, /sign in|continue/i);
  }
  if (page.document.querySelectorAll('form').length === 0) {
    throw new Error(`The page "${page.title}" (${page.status}) has no form and no link: ${page.text}`);
  }
  return browser.submit(page, {}, allows ? /^(allow|connect)/i : /^(deny|cancel|do not allow|refuse)/i);
}

function nameOf(input: HTMLElement | null, page: Page): string {
  const name = input?.attributes['name'];
  if (!name) throw new Error(`The page "${page.title}" lacks a requested input.`);
  return name;
}

function formWith(page: Page, button: RegExp): HTMLElement {
  const form = page.document.querySelectorAll('form').find(each => buttonIn(each, button));
  if (!form) throw new Error(`The page "${page.title}" has no button ${button}: ${page.text}`);
  return form;
}

function buttonIn(form: HTMLElement, button: RegExp): HTMLElement | undefined {
  return form
    .querySelectorAll('button, input[type=submit]')
    .find(each =>
      button.test(
        (each.attributes['value'] && each.tagName === 'INPUT' ? each.attributes['value'] : each.text).trim(),
      ),
    );
}

async function readPage(url: URL, response: Response): Promise<Page> {
  const document = parse(await response.text());
  for (const hidden of document.querySelectorAll('style, script')) hidden.remove();
  return {
    url,
    status: response.status,
    headers: response.headers,
    title: document.querySelector('title')?.text.trim() ?? '',
    text: (document.querySelector('body') ?? document).structuredText.replace(/\s+/g, ' ').trim(),
    document,
  };
}
