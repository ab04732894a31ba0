const bothTypes = 'application/json, text/event-stream';

/**
 * What a client takes, in the form in which the kit looks for it: both types by name. No header at all and the range of all
 * types alone say the same (RFC 9110 section 12.5.1), and are what generic HTTP clients send.
 */
export function acceptedTypes(accept: string | undefined): string {
  return accept === undefined || /^\s*(\*\/\*)?\s*$/.test(accept) ? bothTypes : accept;
}
