import type { ReplyRule } from './reply-rule.ts';

/** What single providers say in words that mean something else elsewhere. */
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
    // The text of RFC 5321 itself, which elsewhere covers policy as well; these hosts use it for unknown users alone.
    meaning: 'missing',
    providers: ['outlook_com', 'gmx', 'ionos'],
    code: /^550$/,
    text: /^requested actions? not taken:? (?:mailbox unavailable|as the mailbox is unavailable)(?!.*(?:for explanation|ip=))/,
    samples: [
      '550 5.5.0 Requested action not taken: mailbox unavailable (S2017062302).',
      '550 Requested action not taken: mailbox unavailable',
    ],
  },
  {
    meaning: 'greylisted',
    providers: ['mimecast'],
    code: /^451$/,
    text: /(?:recipient|internal resources?)(?: are| is)? temporarily unavailable/,
    samples: [
      '451 Internal resources are temporarily unavailable - https://community.mimecast.com/docs/DOC-1369#451',
      '451 Recipient temporarily unavailable',
    ],
  },
  {
    meaning: 'temporary',
    providers: ['mimecast'],
    code: /^451$/,
    text: /account inbounds disabled/,
    samples: ['451 Account inbounds disabled'],
  },
  {
    meaning: 'blocked',
    providers: ['barracuda'],
    text: /:blocked\b/,
    samples: ['550 permanent failure for one or more recipients (ada@ordinary.example:blocked)'],
  },
  {
    // The reason of the host behind stands in brackets, and may be a rule of that host.
    meaning: 'missing',
    providers: ['barracuda'],
    code: /^550$/,
    text: /permanent failure for one or more recipients(?!.*(?: 5\.7\.|relay|polic|denied by|spam))/,
    samples: ['550 permanent failure for one or more recipients (nobody@ordinary.example:550 5.1.1 unknown)'],
  },
  {
    // Tencent's own spelling; it means that the recipient gets too much at the moment.
    meaning: 'rate_limited',
    providers: ['tencent'],
    text: /mailbox unavailable or access den/,
    samples: ['550 Mailbox unavailable or access denined'],
  },
  {
    meaning: 'blocked',
    providers: ['orange', 'laposte'],
    text: /ofr(?:004)?_10[1-4]/,
    samples: ['421 mwinf5c04 ME Trop de connexions, veuillez verifier votre configuration. OFR004_104 [104]'],
  },
  {
    meaning: 'missing',
    providers: ['orange', 'laposte'],
    code: /^5/,
    text: /ofr\w*_416|lpn\w*_416/,
    samples: ['550 5.2.0 Adresse d au moins un destinataire invalide. Invalid recipient. OFR_416 [416]'],
  },
  {
    meaning: 'full',
    providers: ['orange', 'laposte'],
    text: /ofr\w*_417|lpn\w*_417/,
    samples: ['552 5.1.1 Boite du destinataire pleine. Recipient overquota. OFR_417 [417]'],
  },
  {
    meaning: 'disabled',
    providers: ['orange', 'laposte'],
    code: /^5/,
    text: /(?:ofr|lpn)\w*_4(?:20|26)/,
    samples: ['550 5.5.0 Boite du destinataire archivee. Archived recipient. OFR_420 [420]'],
  },
  {
    meaning: 'blocked',
    providers: ['godaddy'],
    text: /\bib(?:007|605|1\d\d)\b/,
    samples: ['554 p3plibsmtp01-04.prod.phx3.secureserver.net bizsmtp IB105. Connection refused. 192.0.2.1'],
  },
  {
    meaning: 'blocked',
    providers: ['icloud'],
    text: /not accepting connections|\[(?:cs|hm)\d+\]/,
    samples: ['554 5.7.0 Blocked - not accepting connections from 192.0.2.1'],
  },
];
