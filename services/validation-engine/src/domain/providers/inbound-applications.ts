import type { ProviderEntry } from './provider.ts';

/** Providers that hand mail to a customer’s program. */
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
