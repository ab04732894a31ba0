import type { Catalog } from '../script.ts';
import { catchAllPostfix, google, googleDisabled, googleFull, microsoft365, postfix } from './servers.ts';
import { catchAll, exists, invalid, missing, unknown } from './verdicts.ts';

/**
 * Look-alikes of well-known providers, with their host names and their wording. A validator under test uses only the
 * lab's DNS, so these names never lead to the real hosts.
 */
export const providers: Catalog = [
  {
    domain: 'google-workspace.example',
    story: 'A company at Google Workspace.',
    dns: {
      mx: [
        [1, 'aspmx.l.google.com'],
        [5, 'alt1.aspmx.l.google.com'],
      ],
      txt: { '@': ['v=spf1 include:_spf.google.com ~all'] },
    },
    hosts: {
      'aspmx.l.google.com': google(['ada'], { mailboxes: { full: googleFull, former: googleDisabled } }),
      'alt1.aspmx.l.google.com': google(['ada']),
    },
    expected: [
      exists('ada@google-workspace.example'),
      exists('ada+news@google-workspace.example'),
      missing('nobody@google-workspace.example'),
      unknown('full@google-workspace.example', 'mailbox_full'),
      invalid('former@google-workspace.example', 'mailbox_disabled'),
    ],
  },
  {
    domain: 'gmail.com',
    story: 'A look-alike of the free provider; the real one is out of reach inside the lab.',
    dns: {
      mx: [[5, 'gmail-smtp-in.l.google.com']],
      txt: { '@': ['v=spf1 redirect=_spf.google.com'] },
    },
    hosts: { 'gmail-smtp-in.l.google.com': google(['ada.lovelace', 'grace.hopper']) },
    expected: [exists('ada.lovelace@gmail.com'), missing('nobody.atall@gmail.com')],
  },
  {
    domain: 'microsoft365.example',
    story: 'A company at Microsoft 365.',
    dns: {
      mx: [[0, 'microsoft365-example.mail.protection.outlook.com']],
      txt: { '@': ['v=spf1 include:spf.protection.outlook.com -all'] },
    },
    hosts: { 'microsoft365-example.mail.protection.outlook.com': microsoft365(['ada']) },
    expected: [exists('ada@microsoft365.example'), missing('nobody@microsoft365.example')],
  },
  {
    domain: 'outlook.com',
    story: 'A look-alike of the free provider, whose wording differs from the business service.',
    dns: { mx: [[5, 'outlook-com.olc.protection.outlook.com']] },
    hosts: {
      'outlook-com.olc.protection.outlook.com': microsoft365(['ada.lovelace'], {
        otherRecipients: '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).',
      }),
    },
    expected: [exists('ada.lovelace@outlook.com'), missing('nobody.atall@outlook.com')],
  },
  {
    domain: 'yahoo.com',
    story: 'A look-alike of the free provider, which words a missing mailbox in two ways.',
    dns: { mx: [[1, 'mta5.am0.yahoodns.net']] },
    hosts: {
      'mta5.am0.yahoodns.net': postfix(['ada.lovelace'], {
        banner: '220 mtaproxy511.free.mail.ne1.yahoo.com ESMTP ready',
        capabilities: ['PIPELINING', 'SIZE 41943040', '8BITMIME', 'STARTTLS'],
        mail: '250 sender <{sender}> ok',
        mailboxes: { absent: '552 1 Requested mail action aborted, mailbox not found' },
        otherRecipients:
          "554 delivery error: dd This user doesn't have a {domain} account ({recipient}) [0] - mtaproxy511",
      }),
    },
    expected: [
      exists('ada.lovelace@yahoo.com'),
      missing('nobody.atall@yahoo.com'),
      missing('absent@yahoo.com'),
    ],
  },
  {
    domain: 'icloud.com',
    story: 'A look-alike of the free provider.',
    dns: { mx: [[10, 'mx01.mail.icloud.com']] },
    hosts: {
      'mx01.mail.icloud.com': postfix(['ada.lovelace'], {
        otherRecipients: '550 5.1.1 <{recipient}>: user does not exist',
      }),
    },
    expected: [exists('ada.lovelace@icloud.com'), missing('nobody.atall@icloud.com')],
  },
  {
    domain: 'proofpoint.example',
    story: 'A company behind Proofpoint, which knows its recipients.',
    dns: { mx: [[10, 'mxb-00001.gslb.pphosted.com']] },
    hosts: {
      'mxb-00001.gslb.pphosted.com': postfix(['ada'], {
        banner: '220 {host} ESMTP mfa-m0000001',
        otherRecipients: '550 5.1.1 User Unknown',
      }),
    },
    expected: [exists('ada@proofpoint.example'), missing('nobody@proofpoint.example')],
  },
  {
    domain: 'mimecast.example',
    story: 'A company behind Mimecast, which knows its recipients.',
    dns: { mx: [[10, 'us-smtp-inbound-1.mimecast.com']] },
    hosts: {
      'us-smtp-inbound-1.mimecast.com': postfix(['ada'], {
        banner: '220 us-smtp-inbound-1.mimecast.com ESMTP; us-mta-100',
        capabilities: ['SIZE 149422080', 'STARTTLS', '8BITMIME', 'PIPELINING'],
        otherRecipients: '550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550 [us100]',
      }),
    },
    expected: [exists('ada@mimecast.example'), missing('nobody@mimecast.example')],
  },
  {
    domain: 'ironport.example',
    story: 'A company behind Cisco IronPort, which puts a hash before its status code.',
    dns: { mx: [[10, 'mx1.hc123.iphmx.com']] },
    hosts: {
      'mx1.hc123.iphmx.com': postfix(['ada'], {
        banner: '220 esa1.hc123.iphmx.com ESMTP',
        capabilities: ['8BITMIME', 'SIZE 104857600', 'STARTTLS'],
        mail: '250 sender <{sender}> ok',
        otherRecipients: '550 #5.1.0 Address rejected.',
      }),
    },
    expected: [exists('ada@ironport.example'), missing('nobody@ironport.example')],
  },
  {
    domain: 'gateway-microsoft365.example',
    story: 'A company behind Proofpoint, whose SPF record names Microsoft 365 and a sending service.',
    dns: {
      mx: [[10, 'mxb-00002.gslb.pphosted.com']],
      txt: {
        '@': [
          'a-site-verification=7f1f9b2c',
          'v=spf1 include:sendgrid.net include:spf.protection.outlook.com -all',
        ],
      },
    },
    hosts: {
      'mxb-00002.gslb.pphosted.com': postfix(['ada'], {
        banner: '220 {host} ESMTP mfa-m0000002',
        otherRecipients: '550 5.1.1 User Unknown',
      }),
    },
    expected: [exists('ada@gateway-microsoft365.example'), missing('nobody@gateway-microsoft365.example')],
  },
  {
    domain: 'gateway-google.example',
    story: 'A company behind Mimecast, whose second mail host is Google itself.',
    dns: {
      mx: [
        [10, 'eu-smtp-inbound-1.mimecast.com'],
        [50, 'alt2.aspmx.l.google.com'],
      ],
    },
    hosts: {
      'eu-smtp-inbound-1.mimecast.com': postfix(['ada'], {
        banner: '220 eu-smtp-inbound-1.mimecast.com ESMTP; eu-mta-100',
        capabilities: ['SIZE 149422080', 'STARTTLS', '8BITMIME', 'PIPELINING'],
        otherRecipients: '550 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#550 [eu100]',
      }),
      'alt2.aspmx.l.google.com': google(['ada']),
    },
    expected: [exists('ada@gateway-google.example'), missing('nobody@gateway-google.example')],
  },
  {
    domain: 'barracuda-users.example',
    story:
      'A Barracuda gateway that takes mail for the users whom its owner manages, and blocks all others by name.',
    dns: { mx: [[10, 'd000002.a.ess.barracudanetworks.com']] },
    hosts: {
      'd000002.a.ess.barracudanetworks.com': postfix(['ada'], {
        otherRecipients: '550 permanent failure for one or more recipients ({recipient}:blocked)',
      }),
    },
    expected: [exists('ada@barracuda-users.example'), unknown('nobody@barracuda-users.example', 'policy')],
  },
  {
    domain: 'barracuda-region.example',
    story: 'A company behind a regional host of Barracuda, which repeats what Microsoft 365 behind it said.',
    dns: { mx: [[10, 'd000001.a.ess.de.barracudanetworks.com']] },
    hosts: {
      'd000001.a.ess.de.barracudanetworks.com': postfix(['ada'], {
        otherRecipients:
          '550 cuda_nsu 5.4.1 [{recipient}]: Recipient address rejected: Access denied [AM5EUR02FT019.eop-EUR02.prod.protection.outlook.com]',
      }),
    },
    expected: [exists('ada@barracuda-region.example'), missing('nobody@barracuda-region.example')],
  },
  {
    domain: 'trendmicro-region.example',
    story:
      'A company behind a regional host of Trend Micro, which rejects recipients in the words of a policy.',
    dns: { mx: [[10, 'trendmicro-region.in.tmes-anz.trendmicro.com']] },
    hosts: {
      'trendmicro-region.in.tmes-anz.trendmicro.com': postfix(['ada'], {
        otherRecipients: '554 5.7.1 <{recipient}>: Recipient address rejected: Invalid-Recipient.',
      }),
    },
    expected: [exists('ada@trendmicro-region.example'), missing('nobody@trendmicro-region.example')],
  },
  {
    domain: 'agency.example',
    story: 'An agency at the Microsoft 365 cloud of the United States government.',
    dns: { mx: [[0, 'agency-example.mail.protection.office365.us']] },
    hosts: { 'agency-example.mail.protection.office365.us': microsoft365(['ada']) },
    expected: [exists('ada@agency.example'), missing('nobody@agency.example')],
  },
  {
    domain: 'forwarded.example',
    story: 'A shop whose registrar passes its mail on to a mailbox elsewhere and takes every recipient.',
    dns: { mx: [[10, 'eforward1.registrar-servers.com']] },
    hosts: { 'eforward1.registrar-servers.com': catchAllPostfix() },
    expected: [catchAll('info@forwarded.example')],
  },
  {
    domain: 'mailinator.com',
    story: 'A look-alike of the disposable provider, which takes mail for any name.',
    dns: { mx: [[1, 'mail.mailinator.com']] },
    hosts: { 'mail.mailinator.com': catchAllPostfix() },
    expected: [catchAll('ada@mailinator.com')],
  },
  {
    domain: 'stanford.edu',
    story: 'A look-alike of a university, for telling education addresses apart.',
    dns: { mx: [[10, 'mx.stanford.edu']] },
    hosts: { 'mx.stanford.edu': postfix(['ada', 'admissions']) },
    expected: [exists('ada@stanford.edu'), exists('admissions@stanford.edu'), missing('nobody@stanford.edu')],
  },
];
