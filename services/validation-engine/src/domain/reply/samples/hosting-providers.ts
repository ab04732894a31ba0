import { at, atRcpt, type RealLine } from './real-line.ts';

const godaddy = "sisimai, lib/Sisimai/Rhost/GoDaddy.pm, after GoDaddy's own list";
const zoho = 'sisimai, lib/Sisimai/Rhost/Zoho.pm';
const manual = 'smtp-field-manual, data/codes';
const rackspace = 'smtp.codes/rackspace';
const orange = 'sisimai, lib/Sisimai/Rhost/FrancePTT.pm';
const sympa = 'Sympa, t/bounces.t';

export const hostingProviderLines: readonly RealLine[] = [
  ...atRcpt(zoho, 'zoho', {
    missing: ['550 5.1.1 User does not exist - <nobody@zoho.com>'],
    greylisted: ['451 4.7.1 Greylisted, try again after some time'],
    blocked: ['554 5.7.1 Email cannot be delivered. Reason: Email flagged as Spam.'],
    policy: [
      '550 5.7.1 Email rejected per DMARC policy for zoho.com',
      '552 5.1.1 <ada@zoho.com> Mailbox delivery failure policy error',
    ],
    refused: ['541 5.4.1 Mail rejected by destination domain'],
    temporary: ['452 4.3.1 Temporary System Error'],
  }),
  ...atRcpt(manual, 'zoho', {
    missing: ['550 5.1.1 <nobody@zoho.com> User unknown'],
    policy: ['553 Relaying disallowed', '554 5.2.3 MailPolicy violation Error delivering to mailboxes'],
  }),
  ...atRcpt(rackspace, 'rackspace', {
    rate_limited: [
      '450 4.2.1 <ada@ordinary.example>: Mailbox received too much email in a short period of time (G30)',
    ],
    blocked: [
      '450 4.7.1 Client host 192.0.2.1 has no PTR record (G1F)',
      '421 Too many concurrent connections from this client (G2)',
    ],
    temporary: [
      "450 4.4.1 <ada@ordinary.example>: The recipient's server was temporarily unavailable to accept your message (G6)",
      '450 4.4.6 Routing loop detected (G16)',
    ],
  }),
  ...atRcpt(reacherOf('biotech-calendar.com'), 'rackspace', {
    missing: [
      '550 5.1.1 <nobody@ordinary.example>: Email address could not be found, or was misspelled (G8)',
    ],
  }),
  ...atRcpt('Mail log on GitHub: mx2.emailsrvr.com', 'rackspace', {
    blocked: [
      '451 4.7.1 Received too many messages from a new or untrusted IP: 192.0.2.1 (Z27/80343E7) (G28)',
      '554 5.7.1 ACL dns_rbl; Client host [192.0.2.1] blocked using pf-ip4tset.blagr.emailsrvr.com=127.24.0.2 Please visit http://bounce.emailsrvr.com/?a0 for more information on why this message could not be delivered',
    ],
  }),
  ...atRcpt('Server Fault question on GitHub: secure.emailsrvr.com', 'rackspace', {
    policy: [
      '550 5.1.0 <probe@checker.example>: Sender address rejected: User unknown in relay recipient table',
    ],
  }),
  ...atRcpt(godaddy, 'godaddy', {
    missing: ['550 Recipient not found', '550 Account does not exist'],
    full: ['552 Account storage limit'],
    disabled: ['550 Account disabled'],
    blocked: [
      '421 Connection refused, too many sessions from This IP. Lower the number of concurrent sessions. IB007',
      '421 Temporarily rejected. Reverse DNS for this IP failed. IB108',
      '554 This IP has been temporarily blocked for attempting to mail too many invalid recipients. IB112',
      '554 This IP has been blocked for the day, for attempting to mail too many invalid recipients. IB113',
      '554 Connection refused. This IP has a poor reputation on Cloudmark Sender Intelligence (CSI). IB103',
      '554 Connection refused. This IP address is listed on the Policy Block List (PBL). IB106',
      '554 RBL Reject.',
      '550 This IP has sent too many messages this hour. IB504',
      '550 This IP has sent too many to too many recipients this hour. IB607',
    ],
    policy: [
      '535 Authentication not allowed on IBSMTP Servers. IB401',
      '550 checker.example From: Domain is invalid. Provide a valid From: IB506',
      '550 probe@checker.example Invalid SPF record. Inspect your SPF settings, and try again. IB508',
      '550 probe@checker.example Blank From: addresses are not allowed. Provide a valid From. IB501',
    ],
    too_many_recipients: [
      '452 This message contains too many recipients. Reduce the number of recipients and retry. IB605',
    ],
  }),
  ...atRcpt(sympa, 'godaddy', { missing: ['550 #5.1.0 Address rejected.'] }),
  ...atRcpt('Bounce test on GitHub: filerz.276.mgra1.mail.ovh.net', 'ovh', {
    full: ['550 sorry, user over quota [mx1] (#5.1.1)'],
  }),
  ...atRcpt('Bounce test on GitHub: mx1.mail.ovh.net', 'ovh', {
    missing: ['550 5.1.1 <nobody@ordinary.example>: Recipient address rejected: User unknown'],
  }),
  ...atRcpt('byte-foundry/inyo, issue 28: redirect.ovh.net', 'ovh', {
    policy: ['500 Domain not in ovh system'],
  }),
  ...atRcpt(sympa, 'gandi', {
    missing: [
      '550 5.1.1 <nobody@ordinary.example>: Recipient address rejected: User unknown in virtual mailbox table',
    ],
  }),
  ...atRcpt(manual, 'infomaniak', { policy: ['450 4.1.8 Sender address rejected: Domain not found'] }),
  ...atRcpt('Mail log on GitHub: in1-smtp.messagingengine.com', 'fastmail', {
    policy: ['504 5.5.2 <root@pod>: Sender address rejected: need fully-qualified address'],
  }),
  ...atRcpt(manual, 'improvmx', { temporary: ['450 4.2.1 Please try again later. (#id-5.9.4)'] }),
  ...atRcpt('Mail log on GitHub: route3.mx.cloudflare.net', 'cloudflare_routing', {
    missing: ['550 5.1.1 Address does not exist. H471xiwLArEQ'],
  }),
  ...atRcpt('Cloudflare, "Email Routing: Postmaster"', 'cloudflare_routing', {
    blocked: [
      '554 192.0.2.1 found on one or more RBLs (abusixip). Refer to https://developers.cloudflare.com/email-routing/postmaster/#spam-and-abusive-traffic/',
    ],
  }),
  ...atRcpt(orange, 'orange', {
    missing: ['550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416 [416]'],
    full: ['552 5.1.1 Boite du destinataire pleine. Recipient overquota. OFR_417 [417]'],
    disabled: ['550 5.1.1 Boite du destinataire archivee. Archived recipient. OFR_420 [420]'],
    blocked: [
      '550 mwinf5c04 ME Adresse IP source bloquee pour incident de spam. Client host blocked for spamming issues. OFR006_102 Ref http://csi.cloudmark.com [102]',
    ],
    policy: [
      "550 5.7.0 Code d'authentification invalide OFR_305 [305]",
      '550 5.0.1 Emetteur invalide. Invalid Sender. OFR_415 [415]',
    ],
    temporary: [
      '421 4.2.0 Service refuse. Veuillez essayer plus tard. Service refused, please try later. OFR005_505 [505]',
      '421 mwinf5c77 ME Service refuse. Veuillez essayer plus tard. Service refused, please try later. OFR_999 [999]',
    ],
  }),
  ...at('greeting', 'Mail log on GitHub: smtp-in.orange.fr', 'orange', {
    blocked: [
      '550 opmta1mti37nd1 smtp.orange.fr xZBIwcGuCj51b Service refuse. Service refused. OFR006_103 - please visit: https://postmaster.orange.fr/ [103]',
    ],
  }),
  ...atRcpt(orange, 'laposte', {
    missing: ['550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. LPN416'],
    disabled: [
      '550 5.5.0 Le compte du destinataire est bloque. The recipient account isblocked. LPN007_426',
      '550 5.5.0 Le compte du destinataire est bloque. The recipient account is blocked. LPN007_426',
    ],
    blocked: ['421 Too many connections, slow down. LPN105_104'],
    policy: [
      '550 5.5.0 SPF: checker.example is not allowed to send mail. LPN004_401',
      '550 5.5.0 Authentification requise. Authentication Required. LPN105_402',
      '550 5.5.3 Mail from not owned by user. LPN105_421.',
    ],
    refused: [
      '550 5.5.0 Service refuse. Veuillez essayer plus tard. service refused, please try later. LPN001_108',
    ],
  }),
  ...atRcpt(manual, 'free_fr', {
    full: [
      '554 5.2.2 <full@free.fr>: Recipient address rejected: Quota exceeded (mailbox for user is full)',
      '552 5.2.2 user quota exceeded (UserSearch)',
    ],
  }),
  ...atRcpt('sisimai, lib/Sisimai/Reason/Blocked.pm', 'free_fr', {
    blocked: ['550 Too many spams from your IP (192.0.2.1), please visit http://postmaster.free.fr/'],
  }),
  ...atRcpt('KumoMTA, assets/community/bounces.toml', undefined, {
    missing: [
      '550 Utilisateur inconnu',
      '550 No such ID',
      '553 sorry, no mail-box here by that name',
      '585 <nobody@ordinary.example>: Recipient address rejected: undeliverable address: No such user here',
      '550 recipient unrecognized',
    ],
    full: [
      '552 Mailbox limit exeeded for this email address',
      '550 Mailbox is full / Blocks limit exceeded / Inode limit exceeded',
      '550 account is overquota',
    ],
    disabled: [
      '550 User account not activated',
      '505 this account is suspended',
      '550 Account is not active',
    ],
    blocked: [
      '550 Recipient not on bypass list, your IP has been found on a block list',
      '554 Your access to this mail system has been rejected due to poor reputation of a domain used in message transfer',
      '550 Email blocked by cbl.abuseat.org',
      '550 The mail server could not deliver mail to ada@ordinary.example. The account or domain may not exist, they may be blacklisted, or missing the proper dns entries.',
    ],
    policy: [
      '503 This mail server requires authentication when attempting to send to a non-local e-mail address.',
      '550 sorry, your envelope sender domain must exist (#5.7.1)',
      '550 Sender probe@checker.example has no A, AAAA, or MX DNS records.',
      '553 Domain of sender address probe@checker.example does not exist',
      '550 Please turn on SMTP Authentication in your mail client',
      '556 Invalid account. Tenant or Domain not found',
    ],
    refused: ['550 Message denied'],
  }),
];

function reacherOf(domain: string): string {
  return `Reacher, core/src/smtp/parser.rs (on ${domain})`;
}
