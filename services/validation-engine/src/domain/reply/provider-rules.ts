import type { ReplyRule } from './reply-rule.ts';

/** Replies of individual providers in words that mean something else elsewhere. */
export const providerRules: readonly ReplyRule[] = [
  {
    // Elsewhere 552 means a full mailbox (RFC 5321 section 4.2.3).
    meaning: 'missing',
    providers: ['yahoo'],
    code: /^552$/,
    text: /not found/,
    samples: ['552 1 Requested mail action aborted, mailbox not found'],
  },
  {
    // Microsoft's edge refuses a recipient that is not in the directory with a routing code and exactly this text.
    meaning: 'missing',
    providers: ['microsoft_365', 'outlook_com', 'microsoft_365_21vianet'],
    enhanced: /^5\.4\.1$/,
    text: /(?:recipient address|all recipient addresses) rejected ?: access denied/,
    samples: [
      '550 5.4.1 [nobody@ordinary.example]: Recipient address rejected: Access denied [BN3NAM04FT027.eop-NAM04.prod.protection.outlook.com]',
      '550 5.4.1 Recipient address rejected: Access denied. AS(201806281) [DB5EUR01FT088.eop-EUR01.prod.protection.outlook.com 2023-06-22T08:26:31.592Z 08DB72B25E50380B]',
      '550 5.4.1 All recipient addresses rejected : Access denied. AS(201806271) [VE1EUR01FT061.eop-EUR01.prod.protection.outlook.com]',
    ],
  },
  {
    // The text of RFC 5321 itself (section 4.2.3: "mailbox not found, no access, or command rejected for policy
    // reasons"). Elsewhere it also means a relay that is refused (MailEnable), spam (Yahoo), a rate limit (Tencent) or a
    // full mailbox (Interia). These hosts use it only for unknown users, unless they also mention another try or a network
    // address.
    meaning: 'missing',
    providers: ['outlook_com', 'gmx', 'ionos'],
    code: /^550$/,
    text: /^(?:<address>: )?requested actions? not taken:? (?:mailbox unavailable|as the mailbox is unavailable)(?!.*(?:[?&]ip=|i=ip|try again|later|failure sending))/,
    samples: [
      '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302)',
      '550 <nobody@ordinary.example>: Requested action not taken: mailbox unavailable',
      '550-Requested action not taken: mailbox unavailable\n550 For explanation visit https://postmaster.gmx.net/en/case?c=r0103',
    ],
  },
  {
    // Sent while our address has tried too many unknown recipients.
    meaning: 'blocked',
    providers: ['gmx', 'ionos'],
    code: /^4/,
    text: /reject due to policy violations/,
    samples: ['421 Reject due to policy violations'],
  },
  {
    meaning: 'missing',
    providers: ['att'],
    code: /^5/,
    text: /addressee unknown|blank mailhost - invalid address/,
    samples: [
      '550 5.2.1 <nobody@prodigy.net>... Addressee unknown, relay=[192.0.2.1]',
      '550 5.2.1 <nobody@prodigy.net>... blank mailhost - invalid address, relay=[192.0.2.1]',
    ],
  },
  {
    meaning: 'greylisted',
    providers: ['mimecast'],
    code: /^451$/,
    text: /(?:recipient|internal resources?)(?: are| is)? temporarily unavailable/,
    samples: ['451 Internal resources are temporarily unavailable', '451 Recipient temporarily unavailable'],
  },
  {
    meaning: 'temporary',
    providers: ['mimecast'],
    code: /^451$/,
    // Under this code, its "Invalid Recipient" says nothing about the mailbox; under 550 it does.
    text: /account inbounds disabled|^invalid recipient/,
    samples: [
      '451 Account inbounds disabled',
      '451 Invalid Recipient - https://community.mimecast.com/docs/DOC-1369#451 [us149]',
    ],
  },
  {
    // A status per recipient. At RCPT there is no content yet, and other recipients of the same client and sender are
    // accepted. It therefore concerns this recipient: either a rule about it, or a recipient that the gateway does not
    // know.
    meaning: 'refused',
    providers: ['barracuda'],
    code: /^550$/,
    text: /^permanent failure for one or more recipients \(.{1,320}:blocked\)/,
    samples: ['550 permanent failure for one or more recipients (ada@ordinary.example:blocked)'],
  },
  {
    meaning: 'blocked',
    providers: ['barracuda'],
    text: /^blocked$/,
    samples: ['550 Blocked'],
  },
  {
    // The gateway quotes the reply of the host behind it, with the code inside the text.
    meaning: 'missing',
    providers: ['barracuda'],
    code: /^550$/,
    text: /^cuda_nsu 5\.(?:1\.1\b|4\.1\b.*recipient address rejected: access denied)/,
    samples: [
      '550 cuda_nsu 5.1.1 <nobody@ordinary.example>... User unknown',
      '550 cuda_nsu 5.4.1 [nobody@ordinary.example]: Recipient address rejected: Access denied [AM5EUR02FT019.eop-EUR02.prod.protection.outlook.com]',
    ],
  },
  {
    // Broadcom's own help says that the address does not exist; elsewhere the text would be a local rule.
    meaning: 'missing',
    providers: ['broadcom'],
    code: /^553$/,
    text: /recipient mailbox is not allowed/,
    samples: ['553 Recipient mailbox is not allowed'],
  },
  {
    meaning: 'missing',
    providers: ['trend_micro'],
    code: /^5/,
    text: /recipient address rejected: invalid-recipient/,
    samples: ['554 5.7.1 <nobody@ordinary.example>: Recipient address rejected: Invalid-Recipient.'],
  },
  {
    meaning: 'missing',
    providers: ['proofpoint_essentials'],
    code: /^550$/,
    text: /user email address is marked as invalid/,
    samples: [
      '550 5.7.1 <nobody@ordinary.example>: Recipient address rejected: User email address is marked as invalid.',
    ],
  },
  {
    // Tencent's own spelling; it means that the recipient gets too much mail at the moment.
    meaning: 'rate_limited',
    providers: ['tencent'],
    text: /mailbox unavailable or access den/,
    samples: ['550 Mailbox unavailable or access denined'],
  },
  {
    meaning: 'blocked',
    providers: ['tencent'],
    text: /frequency limited|bounce attacks|connection denied/,
    samples: [
      '550 Ip frequency limited https://service.mail.qq.com/detail/122/172',
      '550 Suspected bounce attacks https://service.mail.qq.com/detail/122/57',
    ],
  },
  {
    // Codes of NetEase's front end: host, sender, recipient, content, white list. All concern us or the moment.
    meaning: 'blocked',
    providers: ['netease'],
    text: /^(?:hl|mi|rp|dt|wm):[a-z]{3}\b/,
    samples: [
      '421 HL:REP 163 mx25,UMCowED5XVN 192.0.2.1',
      '450 MI:CEL 163 smtp12',
      '451 DT:SPM ,please try again',
    ],
  },
  {
    meaning: 'missing',
    providers: ['sina'],
    code: /^550$/,
    text: /^mailbox unavailable\.?$/,
    samples: ['550 mailbox unavailable.'],
  },
  {
    meaning: 'blocked',
    providers: ['orange', 'laposte'],
    text: /\b(?:ofr|lpn|ouk)(?:\d{3})?[_-]?10[1-4]\b/,
    samples: [
      '550 opmta1mti37nd1 smtp.orange.fr xZBIwcGuCj51b Service refuse. Service refused. OFR006_103 - please visit: https://postmaster.orange.fr/ [103]',
      '421 Too many connections, slow down. LPN105_104',
    ],
  },
  {
    meaning: 'missing',
    providers: ['orange', 'laposte'],
    code: /^5/,
    text: /\b(?:ofr|lpn|ouk)(?:\d{3})?[_-]?41[68]\b/,
    samples: [
      '550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416 [416]',
      '550 5.1.1 Adresse d au moins un destinataire invalide. Invalid recipient. LPN416',
    ],
  },
  {
    meaning: 'full',
    providers: ['orange', 'laposte'],
    text: /\b(?:ofr|lpn|ouk)(?:\d{3})?[_-]?417\b/,
    samples: ['552 5.1.1 Boite du destinataire pleine. Recipient overquota. OFR_417 [417]'],
  },
  {
    meaning: 'disabled',
    providers: ['orange', 'laposte'],
    code: /^5/,
    text: /\b(?:ofr|lpn|ouk)(?:\d{3})?[_-]?42[06]\b/,
    samples: [
      '550 5.1.1 Boite du destinataire archivee. Archived recipient. OFR_420 [420]',
      '550 5.5.0 Le compte du destinataire est bloque. The recipient account isblocked. LPN007_426',
      '550 5.5.0 Le compte du destinataire est bloque. The recipient account is blocked. LPN007_426',
    ],
  },
  {
    meaning: 'policy',
    providers: ['orange', 'laposte'],
    code: /^5/,
    text: /\b(?:ofr|lpn|ouk)(?:\d{3})?[_-]?(?:305|40[1-5]|415|421)\b/,
    samples: [
      '550 5.0.1 Emetteur invalide. Invalid Sender. OFR_415 [415]',
      '550 5.5.3 Mail from not owned by user. LPN105_421.',
    ],
  },
  {
    meaning: 'blocked',
    providers: ['godaddy'],
    text: /\bib(?:007|504|607|1\d\d)\b/,
    samples: [
      '421 Connection refused, too many sessions from This IP. Lower the number of concurrent sessions. IB007',
      '554 This IP has been blocked for the day, for attempting to mail too many invalid recipients. IB113',
      '550 This IP has sent too many to too many recipients this hour. IB607',
    ],
  },
  {
    meaning: 'blocked',
    providers: ['rackspace'],
    code: /^4/,
    text: /\(g(?:1f|2|28)\)/,
    samples: [
      '421 Too many concurrent connections from this client (G2)',
      '451 4.7.1 Received too many messages from a new or untrusted IP: 192.0.2.1 (Z27/80343E7) (G28)',
    ],
  },
  {
    meaning: 'blocked',
    providers: ['icloud'],
    text: /not accepting connections|\[(?:cs|hm)\d+\]/,
    samples: [
      '554 st43p00im-smtpin001.me.com ESMTP not accepting connections',
      '550 5.7.1 [CS01] Message rejected due to local policy. Please visit https://support.apple.com/en-us/HT204137',
    ],
  },
  {
    meaning: 'blocked',
    providers: ['t_online'],
    stages: ['greeting'],
    text: /^ip[=:]/,
    samples: [
      '554 IP=192.0.2.1 - A problem occurred. (Ask your postmaster for help or to contact tosa@rx.t-online.de to clarify.) (BL)',
    ],
  },
];
