import type { ProviderEntry } from './provider.ts';

/** Providers that forward mail to mailboxes elsewhere. */
export const forwarders: readonly ProviderEntry[] = [
  { id: 'cloudflare_routing', name: 'Cloudflare Email Routing', suffixes: ['mx.cloudflare.net'] },
  { id: 'improvmx', name: 'ImprovMX', suffixes: ['improvmx.com'] },
  { id: 'forward_email', name: 'Forward Email', suffixes: ['forwardemail.net'] },
  { id: 'pobox', name: 'Pobox', suffixes: ['pobox.com'] },
  { id: 'forwardmx', name: 'ForwardMX', suffixes: ['forwardmx.io'] },
  { id: 'simplelogin', name: 'SimpleLogin', suffixes: ['simplelogin.co', 'simplelogin.io'] },
  { id: 'addy_io', name: 'addy.io (AnonAddy)', suffixes: ['anonaddy.me', 'anonaddy.com', 'addy.io'] },
  { id: 'duckduckgo', name: 'DuckDuckGo Email Protection', suffixes: ['duck.com'] },
  // The same company keeps mailboxes under other names below these domains; the longer suffix distinguishes them.
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

/** Providers that deliver mail to a customer’s program. */
export const inboundApplications: readonly ProviderEntry[] = [
  { id: 'mailgun', name: 'Mailgun', suffixes: ['mailgun.org'] },
  { id: 'sendgrid', name: 'Twilio SendGrid', suffixes: ['mx.sendgrid.net'] },
  { id: 'postmark', name: 'Postmark', suffixes: ['inbound.postmarkapp.com'] },
  { id: 'mandrill', name: 'Mailchimp Transactional', suffixes: ['mandrillapp.com'] },
  { id: 'sparkpost', name: 'SparkPost', suffixes: ['sparkpostmail.com'] },
  { id: 'cloudmailin', name: 'CloudMailin', suffixes: ['cloudmailin.net'] },
  { id: 'mailersend', name: 'MailerSend', suffixes: ['inbound.mailersend.net'] },
  { id: 'mailparser', name: 'Mailparser', suffixes: ['mailparser.io'] },
  { id: 'mailslurp', name: 'MailSlurp', suffixes: ['mailslurp.com'] },
  { id: 'zendesk', name: 'Zendesk', suffixes: ['mail.zendesk.com'] },
  { id: 'intercom', name: 'Intercom', suffixes: ['intercom-mail.com'] },
];
