/** `localhost` and its addresses, as a URL has them. */
const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** Which websites' pages may speak with the tool server: origins as browsers send them, `*` for any port. */
export type OriginPattern = string;

/** True for something like `https://app.example` or `http://localhost:*`. */
export function isOriginPattern(text: string): boolean {
  return /^https?:\/\/(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:(\d{1,5}|\*))?$/.test(text);
}

/** Judges an `Origin`; `null`, which sandboxed pages and files send, never matches. */
export function createOriginJudge(
  own: string,
  patterns: readonly OriginPattern[],
): (origin: string) => boolean {
  const exact = new Set([new URL(own).origin, ...patterns.filter(pattern => !pattern.endsWith(':*'))]);
  const anyPort = patterns.filter(pattern => pattern.endsWith(':*')).map(pattern => pattern.slice(0, -2));
  return origin => exact.has(origin) || anyPort.includes(origin.replace(/:\d{1,5}$/, ''));
}

/**
 * Judges the host name of a request: that of our public address, and all names of loopback where that is one. Ports do
 * not matter, since what a name leads to is decided without them.
 */
export function createHostJudge(own: string): (hostname: string) => boolean {
  const { hostname } = new URL(own);
  const names = loopbackNames.includes(hostname) ? loopbackNames : [hostname];
  return name => names.includes(name.toLowerCase());
}
