import type { ProviderEntry } from './provider.ts';

/** Providers that pass mail on to mailboxes elsewhere. */
export const forwarders: readonly ProviderEntry[] = [
  { id: 'cloudflare_routing', name: 'Cloudflare Email Routing', suffixes: ['mx.cloudflare.net'] },
  { id: 'improvmx', name: 'ImprovMX', suffixes: ['improvmx.com'] },
  { id: 'forward_email', name: 'Forward Email', suffixes: ['forwardemail.net'] },
  { id: 'pobox', name: 'Pobox', suffixes: ['pobox.com'] },
  { id: 'forwardmx', name: 'ForwardMX', suffixes: ['forwardmx.io'] },
  { id: 'simplelogin', name: 'SimpleLogin', suffixes: ['simplelogin.co', 'simplelogin.io'] },
  { id: 'addy_io', name: 'addy.io (AnonAddy)', suffixes: ['anonaddy.me', 'anonaddy.com', 'addy.io'] },
  { id: 'duckduckgo', name: 'DuckDuckGo Email Protection', suffixes: ['duck.com'] },
  // The same house keeps mailboxes under other names below these domains; the longer suffix tells them apart.
  {
    id: 'namecheap_forwarding',
    name: 'Namecheap email forwarding',
    suffixes: [
      'eforward1.registrar-servers.com',
      'eforward2.registrar-servers.com',
      'eforward3.registrar-servers.com',
      'eforward4.registrar-servers.com',
      'eforward5.registrar-servers.com',
    ],
  },
  {
    id: 'porkbun_forwarding',
    name: 'Porkbun email forwarding',
    suffixes: ['fwd1.porkbun.com', 'fwd2.porkbun.com'],
  },
  { id: 'ovh_redirect', name: 'OVHcloud redirection', suffixes: ['redirect.ovh.net'] },
  {
    id: 'google_forwarding',
    name: 'Google Groups and the forwarding of Squarespace Domains',
    suffixes: ['gmr-smtp-in.l.google.com'],
  },
  {
    id: 'name_com',
    name: 'Name.com email forwarding',
    suffixes: ['mx1.name.com', 'mx2.name.com', 'mx3.name.com', 'mx4.name.com'],
  },
  { id: 'dnsimple', name: 'DNSimple email forwarding', suffixes: ['mx1.dnsimple.com', 'mx2.dnsimple.com'] },
  { id: 'enom', name: 'eNom email forwarding', suffixes: ['name-services.com'] },
  { id: 'erine_email', name: 'erine.email', suffixes: ['erine.email'] },
];
