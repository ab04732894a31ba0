import { at, atRcpt, type RealLine } from './real-line.ts';

const learn = 'Microsoft Learn, "Email non-delivery reports and SMTP errors in Exchange Online"';
const rhost = 'sisimai, lib/Sisimai/Rhost/Microsoft.pm';
const bounces = 'ZoneMTA, config/bounces.txt';
const manual = 'smtp-field-manual, data/codes (Microsoft)';

export const microsoftLines: readonly RealLine[] = [
  ...atRcpt(learn, 'microsoft_365', {
    missing: ['550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup'],
    rate_limited: ['432 4.3.2 STOREDRV.Deliver; recipient thread limit exceeded'],
    policy: [
      '530 5.7.57 SMTP; Client was not authenticated to send anonymous mail during MAIL FROM [AM6PR0732BE0065.eurprd07.prod.outlook.com]',
    ],
  }),
  ...atRcpt(
    "Bounce of a kernel developer's mail, archived on GitHub: mips-com.mail.protection.outlook.com",
    'microsoft_365',
    {
      missing: [
        '550 5.4.1 [nobody@ordinary.example]: Recipient address rejected: Access denied [BN3NAM04FT027.eop-NAM04.prod.protection.outlook.com]',
      ],
    },
  ),
  ...atRcpt(
    'Postfix log of a mail server image, archived on GitHub: status=bounced, dsn=5.4.1',
    'microsoft_365',
    {
      missing: [
        '550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [DB5EUR01FT088.eop-EUR01.prod.protection.outlook.com 2023-06-22T08:26:31.592Z 08DB72B25E50380B]',
      ],
    },
  ),
  ...atRcpt('Bounce on GitHub: place-com.mail.protection.outlook.com', 'microsoft_365', {
    missing: [
      '550 5.4.1 All recipient addresses rejected : Access denied. AS(201806271) [VE1EUR01FT061.eop-EUR01.prod.protection.outlook.com]',
    ],
  }),
  ...atRcpt('MicrosoftDocs/OfficeDocs-Exchange, issue 2836', 'outlook_com', {
    missing: ['550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302)'],
  }),
  ...atRcpt('hippich/PHPMailer-BMH, issue 3: mx3.hotmail.com', 'outlook_com', {
    missing: ['550 Requested action not taken: mailbox unavailable'],
  }),
  ...atRcpt(manual, 'outlook_com', {
    missing: [
      '550 5.5.0 Requested action not taken: mailbox unavailable. [BN8NAM12FT022.eop-nam12.prod.protection.outlook.com]',
    ],
    rate_limited: [
      '554 5.2.122 The recipient has exceeded their limit for the number of messages they can receive per hour. For more information go to http://go.microsoft.com/fwlink/?LinkId=526653. [outlook.com]',
    ],
    blocked: [
      '550 5.7.1 Service unavailable, MailFrom domain is listed in Spamhaus. To request removal from this list see https://www.spamhaus.org/query/lookup/ (S8002) [BN7NAM10FT021.eop-nam02.prod.protection.outlook.com]',
    ],
    temporary: [
      '450 4.7.3 Organization queue quota exceeded. [outlook.com]',
      '451 4.7.0 Temporary server error. Please try again later. PRX4 NextHop: ordinary.example [ordinary.example]',
      '452 4.3.1 Insufficient system resources (TSTE) [outlook.com]',
    ],
  }),
  ...atRcpt(bounces, 'microsoft_365', {
    blocked: [
      '550 5.7.606 Access denied, banned sending IP [192.0.2.1]. To request removal from this list please visit https://sender.office.com/ and follow the directions. (AS16012609) [DB5EUR01FT031.eop-EUR01.prod.protection.outlook.com]',
      '550 5.7.511 Access denied, banned sender[192.0.2.1]. To request removal from this list please forward this message to delist@messaging.microsoft.com. AS(508) [AM5EUR02FT019.eop-EUR02.prod.protection.outlook.com]',
      "550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150). You can also refer your provider to http://mail.live.com/mail/troubleshooting.aspx#errors.",
      '550 5.7.1 Service unavailable, Client host [192.0.2.1] blocked using Spamhaus. To request removal from this list see http://www.spamhaus.org/lookup.lasso (AS16012611)',
    ],
  }),
  ...atRcpt(rhost, 'microsoft_365', {
    missing: ['550 5.1.1 RESOLVER.ADR.ExRecipNotFound; not found', '550 5.1.10 Recipient not found'],
    full: ['554 5.2.2 mailbox full'],
    rate_limited: [
      "550 5.2.121 Recipient's per hour message receive limit from specific sender exceeded.",
      "550 5.2.122 Recipient's per hour message receive limit exceeded.",
    ],
    blocked: [
      '451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (AS761)',
      '451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation. For e-mail delivery information, see https://postmaster.live.com (S775)',
      '550 5.7.25 Access denied, the sending IPv6 address [2001:db8::1] must have a reverse DNS record',
      '550 5.7.506 Access Denied, Bad HELO',
      '550 5.7.508 Access denied, [2001:db8::1] has exceeded permitted limits within /64 range',
      '550 5.7.513 Service unavailable, Client host [192.0.2.1] blocked by ordinary.example using Customer Block list (AS16012607)',
      '550 5.7.708 Access denied, traffic not accepted from this IP.',
      '550 5.2.2 Submission quota exceeded',
    ],
    policy: [
      '550 5.7.504 [ada@ordinary.example]: Recipient address rejected: Access denied',
      '550 5.7.505 Access denied, banned recipient',
      '550 5.7.507 Access denied, rejected by recipient',
      '550 5.7.509 Access denied, sending domain checker.example does not pass DMARC verification',
      '550 5.7.510 Access denied, ordinary.example does not accept email over IPv6',
      '550 5.7.124 Sender not in allowed-senders list',
      '550 5.7.133 Sender not authenticated for group',
      '550 5.7.12 Sender was not authenticated by organization',
      '550 5.7.136 Sender was not authenticated',
      '550 5.7.64 TenantAttribution; Relay Access Denied',
      '550 5.4.1 Relay Access Denied',
      '550 5.1.7 Invalid address',
      '550 5.1.7 Unknown sender address',
      '550 5.1.0 Sender denied',
      '550 5.1.8 Access denied, bad outbound sender',
      '550 5.7.1 Unable to relay',
      '550 5.7.1 Client was not authenticated',
      '550 5.7.3 Cannot achieve Exchange Server authentication',
      '550 5.7.23 The message was rejected because of Sender Policy Framework violation',
    ],
    temporary: [
      '451 4.7.700 PFA agent busy, please try again. [AM7EUR03FT064.eop-EUR03.prod.protection.outlook.com]',
      '421 4.3.2 Service not available',
      '450 4.4.318 Connection was closed abruptly (SuspiciousRemoteServerError)',
    ],
    too_many_recipients: ['452 4.5.3 Too many recipients'],
    refused: ['501 5.1.4 Recipient address reserved by RFC 2606'],
  }),
  ...at('mail', rhost, 'outlook_com', {
    blocked: [
      '451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation. For e-mail delivery information, see https://postmaster.live.com (S775)',
    ],
  }),
];
