import { at, atRcpt, type RealLine } from './real-line.ts';

const manual = 'smtp-field-manual, data/codes (spam filters)';
const mimecast = "sisimai, lib/Sisimai/Rhost/Mimecast.pm, after Mimecast's own list";
const broadcom = "sisimai, lib/Sisimai/Rhost/MessageLabs.pm, after Broadcom's knowledge base";
const bounces = 'ZoneMTA, config/bounces.txt';
const reacher = 'Reacher, core/src/smtp/parser.rs';

export const gatewayLines: readonly RealLine[] = [
  ...atRcpt(manual, 'proofpoint', {
    missing: [
      '550 5.1.1 <nobody@ordinary.example>: Recipient address rejected: User unknown',
      '550 5.1.1 <nobody@ordinary.example>: Recipient address rejected: undeliverable address: host mail.ordinary.example[192.0.2.9] said: 550 5.1.1 <nobody@ordinary.example>: Recipient address rejected: undeliverable address: host mail.ordinary.example[192.0.2.9]',
      '550 5.1.1 User Unknown',
      '550 5.1.1 - This is not a valid email address. Please verify that you have the correct email address for your recipient.',
    ],
    policy: ['550 5.7.1 Relaying denied', '554 5.7.1 <ada@ordinary.example>: Relay access denied'],
  }),
  ...atRcpt(manual, 'proofpoint_essentials', {
    missing: [
      '550 5.7.1 <nobody@ordinary.example>: Recipient address rejected: User email address is marked as invalid.',
    ],
  }),
  ...at('greeting', 'Postfix log on GitHub: mx2.kent.edu.gslb.pphosted.com', 'proofpoint', {
    blocked: [
      '554 mx.ordinary.example.pph5a.pphosted.com ESMTP Blocked - see https://support.proofpoint.com/dnsbl-lookup.cgi?ip=192.0.2.1',
    ],
  }),
  ...at('greeting', reacher, 'proofpoint', {
    blocked: [
      '550 5.7.0  Mail from 192.0.2.1 refused by Proofpoint Reputation Services.  SENDER please see and take action: https://support.proofpoint.com/dnsbl-lookup.cgi?192.0.2.1',
      '554 Blocked - see https://ipcheck.proofpoint.com/?ip=192.0.2.1',
    ],
  }),
  ...atRcpt(mimecast, 'mimecast', {
    missing: ['503 User unknown', '501 Invalid address'],
    greylisted: [
      '451 Internal resources are temporarily unavailable',
      '451 Recipient temporarily unavailable',
    ],
    blocked: ['451 IP temporarily blacklisted', '550 Local CT IP Reputation - (Reject)'],
    policy: [
      '550 SPF Sender Invalid - envelope rejected',
      '550 Envelope blocked - User Domain Entry',
      '550 Envelope rejected - Block policy for Envelope from address',
      '550 Anti-Spoofing policy - Inbound not allowed',
      '550 Rejected by header-based Blocked Senders - Block policy for Header From',
      '554 Host network not allowed',
      '535 Incorrect authentication data',
      '451 Open relay not allowed',
    ],
    tls_required: [
      '553 This route requires encryption (TLS)',
      '553 This route requires TLS version 1.2 or greater',
    ],
    temporary: [
      '451 Account inbounds disabled',
      '451 Unable to process connection at this time',
      '451 Account service is temporarily unavailable',
    ],
    too_many_recipients: ['452 Too many recipients'],
  }),
  ...atRcpt('Sympa, t/bounces.t: mail51.mimecast.co.za', 'mimecast', {
    missing: ['550 Invalid Recipient - http://www.mimecast.com/knowledgebase/kbid10473.htm#550'],
  }),
  ...atRcpt(manual, 'mimecast', {
    policy: [
      '550 Administrative prohibition - envelope blocked - https://community.mimecast.com/docs/DOC-1369#550 [vH7Ns8biNg-p6EfZ0QaVMQ.us149]',
      '550 Rejected by header based Anti-Spoofing policy: probe@checker.example - https://community.mimecast.com/docs/DOC-1369#550 [us149]',
      '550 Envelope blocked - User Entry - https://community.mimecast.com/docs/DOC-1369#550 [us149]',
      '554 Email rejected due to security policies - https://community.mimecast.com/docs/DOC-1369#554 [us149]',
    ],
    temporary: ['451 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#451 [us149]'],
  }),
  ...atRcpt(bounces, 'mimecast', {
    blocked: [
      '550 csi.mimecast.org Poor Reputation Sender. - https://community.mimecast.com/docs/DOC-1369#550 [vH7Ns8biNg-p6EfZ0QaVMQ.us149]',
    ],
  }),
  ...atRcpt(manual, 'barracuda', {
    missing: [
      '550 cuda_nsu 5.1.1 <nobody@ordinary.example>... User unknown',
      '550 No such user (nobody@ordinary.example)',
      '550 cuda_nsu 5.4.1 [nobody@ordinary.example]: Recipient address rejected: Access denied [AM5EUR02FT019.eop-EUR02.prod.protection.outlook.com]',
    ],
    blocked: ['550 Blocked'],
    policy: ['550 rejecting spoofed message'],
    temporary: [
      '450 cuda_nsu 4.7.1 <ada@ordinary.example>: Recipient address rejected: Policy Rejection- Abuse. Go away.',
    ],
    greylisted: ['451 4.7.1 <ada@ordinary.example>: Recipient address rejected: Greylisted for 5 minutes'],
  }),
  ...atRcpt(bounces, 'barracuda', {
    // Forward Email calls it a rejection of the recipient, helpers/get-bounce-info.js.
    refused: ['550 permanent failure for one or more recipients (ada@ordinary.example:blocked)'],
  }),
  ...at('greeting', 'Postfix log on GitHub: d48458a.ess.barracudanetworks.com', 'barracuda', {
    temporary: ['451 Server too busy, try again later'],
  }),
  ...atRcpt('linux-kernel mail on GitHub: mx1.microchip.iphmx.com', 'cisco', {
    missing: ['550 #5.1.0 Address rejected.'],
  }),
  ...at('greeting', 'Mail log on GitHub: mx2.hc2916-71.iphmx.com', 'cisco', {
    blocked: [
      "554-esa6.hc2916-71.iphmx.com\n554 Your access to this mail system has been rejected due to the sending MTA's poor reputation. If you believe that this failure is in error, please contact the intended recipient via alternate means.",
    ],
  }),
  ...atRcpt(bounces, 'cisco', {
    blocked: ['550 #5.7.1 Your access to submit messages to this e-mail system has been rejected.'],
  }),
  ...atRcpt(broadcom, 'broadcom', {
    missing: [
      '550-Invalid recipient <nobody@ordinary.example>\n550 (#5.1.1)',
      '553 Recipient mailbox is not allowed',
    ],
    policy: [
      '550 sender envelope domain not allowed for sender IP address (#5.1.8)',
      '553 sorry, your envelope sender is in my badmailfrom list. Please visit www.symanteccloud.com/troubleshooting for more details about this error message and instructions to resolve this issue. (#5.7.1)',
      '553 you are trying to use me [server-8.tower-1.messagelabs.com] as a relay, but I have not been configured to let you [192.0.2.1, checker.example] do this. (#5.7.1)',
      '553 DMARC domain authentication fail',
    ],
    blocked: [
      '501 Connection rejected by policy [7.7] 20805, please visit www.messagelabs.com/support for more details about this error message.',
      '553-mail rejected because your IP is in the PBL. See http://www.spamhaus.org/pbl',
      '553 Sorry, your IP address has been blacklisted',
      '553 Sorry, your domain has been blocked',
    ],
    tls_required: ['451 TLS/SSLv3 Connection required. (#4.7.1)'],
    too_many_recipients: ['452 Too many recipients received this hour'],
    temporary: ['460 too many messages (#4.3.0)'],
  }),
  ...atRcpt(manual, 'trend_micro', {
    missing: ['554 5.7.1 <nobody@ordinary.example>: Recipient address rejected: Invalid-Recipient.'],
    policy: [
      '554 5.7.1 <ada@ordinary.example>: Recipient address rejected: BLOCK-SEND-ER.',
      '554 5.7.1 <ada@ordinary.example>: Recipient address rejected: NO-DOMAIN.',
      '554 5.7.1 <ada@ordinary.example>: Recipient address rejected: BLOCK-RCPT.',
    ],
  }),
  ...atRcpt(bounces, 'trend_micro', {
    blocked: [
      '550 Service unavailable; Client Host [192.0.2.1] blocked using Trend Micro RBL+. Please see http://www.mail-abuse.com/cgi-bin/lookup?ip_address=192.0.2.1',
    ],
  }),
  ...atRcpt(reacher, 'trend_micro', {
    blocked: ['550 5.7.1 Mail from 192.0.2.1 has been blocked by Trend Micro Email Reputation Service.'],
  }),
  ...atRcpt(reacher, 'sophos', {
    blocked: [
      '554 5.7.1 Service unavailable; Client host [192.0.2.1] is blacklisted. Visit https://www.sophos.com/en-us/threat-center/ip-lookup.aspx?ip=192.0.2.1 to request delisting',
    ],
  }),
  ...atRcpt(manual, undefined, {
    missing: ['554 5.7.1 <nobody@ordinary.example>: Recipient address rejected: Not in recipient list'],
    greylisted: [
      '450 4.2.0 <ada@ordinary.example>: Recipient address rejected: ordinary.example greylisted for 60 seconds by ZEROSPAM',
    ],
  }),
  ...at('greeting', 'Mail log on GitHub: mx1.mailchannels.net', undefined, {
    blocked: ['550 [S10] Blocked'],
  }),
  ...at('greeting', 'Mail log on GitHub: mx.kpnmail.nl', undefined, {
    blocked: [
      '521 5.5.0 Your IP [192.0.2.1] has been blacklisted. Please contact abuse@kpn.com for more information.',
    ],
  }),
];
