/** One reply of a mail host (RFC 5321 section 4.2). */
export interface Reply {
  readonly code: number;
  /** Enhanced status code (RFC 3463), such as `5.1.1`, if the host gave one that fits its reply code. */
  readonly enhanced?: string;
  /** The text of each line, without reply code and enhanced code. */
  readonly lines: readonly string[];
}

/** At the start of a line (RFC 2034), or marked by `#` anywhere, as qmail and Cisco write it. */
const enhancedAtHead = /^#?([245]\.\d{1,3}\.\d{1,3})(?=[\s:;,]|$)[\s:;,]*/;
const enhancedInside = /#([245]\.\d{1,3}\.\d{1,3})\b/;

export function readReply(code: number, texts: readonly string[]): Reply {
  const enhanced = texts
    .map(text => (enhancedAtHead.exec(text) ?? enhancedInside.exec(text))?.[1])
    // If the class contradicts the reply code, it is not an enhanced code (RFC 2034 section 4), but may be a version.
    .find(found => found?.startsWith(String(code).charAt(0)));
  const lines = texts.map(text => text.replace(enhancedAtHead, '').trim());
  return enhanced === undefined ? { code, lines } : { code, enhanced, lines };
}

/** Formats a reply as a single line, for logs and for the samples of rules. */
export function formatReply(reply: Reply): string {
  return [reply.code, reply.enhanced, ...reply.lines]
    .filter(part => part !== undefined && part !== '')
    .join(' ');
}
