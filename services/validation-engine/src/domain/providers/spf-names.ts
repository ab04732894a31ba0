import type { ProviderId } from './provider.ts';

/**
 * Names that customers of a mailbox host put into their SPF records (RFC 7208 section 5.2), according to the host's own
 * help. They match at label boundaries.
 */
export const mailboxSpfNames: Readonly<Record<ProviderId, readonly [string, ...string[]]>> = {
  google_workspace: ['_spf.google.com', 'aspmx.googlemail.com'],
  microsoft_365: ['spf.protection.outlook.com', 'spf.protection.office365.us'],
  microsoft_365_21vianet: ['spf.protection.partner.outlook.cn'],
  zoho: [
    'zohomail.com',
    'zohomail.eu',
    'zohomail.in',
    'zoho.com',
    'zoho.eu',
    'zoho.in',
    'zoho.com.au',
    'zoho.jp',
    'zohocloud.ca',
  ],
  fastmail: ['spf.messagingengine.com'],
  proton: ['_spf.protonmail.ch'],
  icloud: ['icloud.com'],
  yandex: ['_spf.yandex.net'],
  mail_ru: ['_spf.mail.ru'],
  ovh: ['mx.ovh.com'],
  ionos: ['_spf-eu.ionos.com', '_spf-us.ionos.com', '_spf.perfora.net', '_spf.kundenserver.de'],
  godaddy: ['secureserver.net'],
  rackspace: ['emailsrvr.com'],
  tencent: ['spf.mail.qq.com'],
  alibaba: ['spf.mxhichina.com', 'spf.qiye.aliyun.com'],
  netease: ['spf.163.com'],
  namecheap: ['spf.privateemail.com'],
  titan: ['spf.titan.email'],
  hostinger: ['_spf.mail.hostinger.com'],
  gandi: ['_mailcust.gandi.net'],
  infomaniak: ['spf.infomaniak.ch'],
  migadu: ['spf.migadu.com'],
  mxroute: ['mxlogin.com', 'mxroute.com'],
  tucows: ['_spf.hostedemail.com'],
  intermedia: ['spf.intermedia.net'],
  tuta: ['spf.tutanota.de'],
  runbox: ['spf.runbox.com'],
  dreamhost: ['netblocks.dreamhost.com'],
  one_com: ['_custspf.one.com'],
  seznam: ['spf.seznam.cz'],
};

/**
 * Names of services that send for a domain and do not keep its mailboxes, or whose name does not tell which of the two
 * they do. They never count, even if a name in the table above matches them.
 */
export const sendingSpfNames: readonly string[] = [
  'amazonses.com',
  'sendgrid.net',
  'mailgun.org',
  'servers.mcsv.net',
  'spf.mandrillapp.com',
  'spf.mtasv.net',
  'spf.sendinblue.com',
  'spf.brevo.com',
  'spf.mailjet.com',
  'sparkpostmail.com',
  'mail.zendesk.com',
  'spf.hubspotemail.net',
  '_spf.salesforce.com',
  'relay.mailchannels.net',
  'spf1.dm.aliyun.com',
  'one.zoho.com',
  'one.zoho.eu',
  'one.zoho.in',
  'one.zoho.com.au',
  'one.zoho.jp',
  'transmail.net',
  '_spf.reach.hostinger.com',
];
