import { type HTMLElement, parse } from 'node-html-parser';
import { person, publicUrl, type ToolServers } from './tool-server.ts';

/** The page or redirect that a browser has reached. */
export interface Page {
  readonly status: number;
  /** The page, if there is one. */
  readonly document: HTMLElement;
  readonly text: string;
  readonly headers: Headers;
  readonly path: string;
  /** The external URL to which the browser was redirected. */
  readonly sentTo: URL | undefined;
}

/** A browser at the public address. It keeps cookies as long as the server requests, and follows internal redirects. */
export class TestBrowser {
  readonly cookies = new Map<string, string>();
  private readonly servers: ToolServers;
  private readonly userAgent: string;
  replica = 0;

  constructor(servers: ToolServers, userAgent = 'Mozilla/5.0 (tests)') {
    this.servers = servers;
    this.userAgent = userAgent;
  }

  async open(path: string, init: RequestInit = {}): Promise<Page> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await this.servers.send(
      path,
      {
        ...init,
        headers: {
          accept: 'text/html',
          cookie,
          'user-agent': this.userAgent,
          ...(init.headers as Record<string, string>),
        },
      },
      this.replica,
    );
    this.keepCookies(response);
    const location = response.headers.get('location');
    const body = await response.text();
    if (location === null) {
      const document = parse(body);
      const { status, headers } = response;
      return {
        status,
        headers,
        document,
        text: document.structuredText.replace(/\s+/g, ' '),
        path,
        sentTo: undefined,
      };
    }
    const target = new URL(location, publicUrl);
    if (target.origin === publicUrl) {
      return this.open(`${target.pathname}${target.search}`);
    }
    const nothing = parse('');
    return {
      status: response.status,
      headers: response.headers,
      document: nothing,
      text: '',
      path,
      sentTo: target,
    };
  }

  /** Posts the form whose action ends with `action`, with its hidden inputs and the given fields. */
  submit(page: Page, action: string, fields: Readonly<Record<string, string>> = {}): Promise<Page> {
    const form = page.document.querySelector(`form[action$="${action}"]`);
    if (!form) {
      throw new Error(`There is no form ${action} on: ${page.text}`);
    }
    const hidden = form.querySelectorAll('input[type=hidden]');
    const given = Object.fromEntries(
      hidden.map(({ attributes }) => [attributes['name'], attributes['value'] ?? '']),
    );
    return this.post(String(form.attributes['action']), { ...given, ...fields });
  }

  post(path: string, fields: Readonly<Record<string, string | undefined>>): Promise<Page> {
    return this.open(path, { method: 'POST', body: formOf(fields) });
  }

  private keepCookies(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) {
        this.cookies.delete(pair.slice(0, at));
      } else {
        this.cookies.set(pair.slice(0, at), pair.slice(at + 1));
      }
    }
  }
}

/** Signs in on the sign-in page. */
export function signIn(browser: TestBrowser, page: Page): Promise<Page> {
  return browser.submit(page, '/sign-in', { email: person.email, password: person.password });
}

export function allow(browser: TestBrowser, page: Page): Promise<Page> {
  return browser.submit(page, '/decision', { decision: 'allow' });
}

/** Fields as a form sends them; `undefined` fields are left out. */
export function formOf(fields: Readonly<Record<string, string | undefined>>): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.set(name, value);
  }
  return form;
}
