import type { ProviderEntry } from './provider.ts';

/** Providers that hand mail to a customer’s program. */
export const inboundApplications: readonly ProviderEntry[] = [
  { id: 'mailgun', name: 'Mailgun', suffixes: ['mailgun.org'] },
  { id: 'sendgrid', name: 'Twilio SendGrid', suffixes: ['mx.sendgrid.net'] },
  { id: 'postmark', name: 'Postmark', suffixes: ['inbound.postmarkapp.com'] },
  { id: 'mandrill', name: 'Mailchimp Transactional', suffixes: ['mandrillapp.com'] },
];
