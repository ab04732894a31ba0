import type { ProviderEntry } from './provider.ts';

/** Providers that pass mail on to mailboxes elsewhere. */
export const forwarders: readonly ProviderEntry[] = [
  { id: 'cloudflare_routing', name: 'Cloudflare Email Routing', suffixes: ['mx.cloudflare.net'] },
  { id: 'improvmx', name: 'ImprovMX', suffixes: ['improvmx.com'] },
  { id: 'forward_email', name: 'Forward Email', suffixes: ['forwardemail.net'] },
  { id: 'pobox', name: 'Pobox', suffixes: ['pobox.com'] },
];
