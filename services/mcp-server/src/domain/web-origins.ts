/** `localhost` and its addresses, as URLs spell them. */
const loopbackNames = ['localhost', '127.0.0.1', '[::1]'];

/** Origins whose pages may call the tool server, as browsers send them; `*` stands for any port. */
export type OriginPattern = string;

/** True for patterns such as `https://app.example` or `http://localhost:*`. */
export function isOriginPattern(text: string): boolean {
  return /^https?:\/\/(\[[0-9a-f:]+\]|[a-z0-9.-]+)(:(\d{1,5}|\*))?$/.test(text);
}

/** Checks an `Origin`; `null`, which sandboxed pages and files send, never matches. */
export function createOriginJudge(
  own: string,
  patterns: readonly OriginPattern[],
): (origin: string) => boolean {
  const exact = new Set([new URL(own).origin, ...patterns.filter(pattern => !pattern.endsWith(':*'))]);
  const anyPort = patterns.filter(pattern => pattern.endsWith(':*')).map(pattern => pattern.slice(0, -2));
  return origin => exact.has(origin) || anyPort.includes(origin.replace(/:\d{1,5}$/, ''));
}

/**
 * Checks the host name of a request. It accepts the name of our public address, or every loopback name if that is a
 * loopback name. Ports do not matter, because names resolve without them.
 */
export function createHostJudge(own: string): (hostname: string) => boolean {
  const { hostname } = new URL(own);
  const names = loopbackNames.includes(hostname) ? loopbackNames : [hostname];
  return name => names.includes(name.toLowerCase());
}
