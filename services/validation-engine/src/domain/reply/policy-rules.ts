import type { ReplyRule } from './reply-rule.ts';

/** Refusals by local policy. They come last: the words of a reply outweigh its code. */
export const policyRules: readonly ReplyRule[] = [
  {
    meaning: 'greylisted',
    code: /^4[25]\d$/,
    stages: ['mail', 'rcpt'],
    text: /come back later|please retry (?:later|in)|try again in \d+|first time sender|unknown (?:triplet|triple)|delayed (?:for|by) policy/,
    samples: [
      '451 4.7.1 Sorry, the service is currently unavailable. Please come back later. 8ohqT2RI-8ohqQZ6F',
    ],
  },
  {
    // A transient verdict about our standing, such as a throttle by reputation.
    meaning: 'blocked',
    code: /^4/,
    enhanced: /^4\.7\.(?:25|28|6\d\d|[58]\d\d)$/,
    samples: ['451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (AS761)'],
  },
  {
    meaning: 'policy',
    code: /^5/,
    enhanced: /^5\.7\.\d+$/,
    samples: [
      '550 5.7.504 [ada@ordinary.example]: Recipient address rejected: Access denied',
      '554 5.7.1 <ada@ordinary.example>: Recipient address rejected: BLOCK-RCPT.',
      '550 5.7.1 This message violates example.com email policy. - gcdp 5-20020a05 - gsmtp',
      '550 5.7.1 Requested action not taken: mailbox not available',
    ],
  },
  {
    // Postscreen's rejection of clients that talk too early, and other complaints about our protocol behavior.
    meaning: 'policy',
    code: /^5/,
    enhanced: /^5\.5\.[124]$/,
    samples: [
      '550 5.5.1 Protocol error',
      '504 5.5.2 <root@pod>: Sender address rejected: need fully-qualified address',
    ],
  },
  {
    meaning: 'policy',
    code: /^5/,
    text: /relay|not permitted|not allowed|not authori[sz]ed|polic(?:y|ies)\b|prohibited|administrative|members only|user refused|rejected by recipients|no smtp mx only|^access denied$/,
    samples: [
      '550 Reject due to policy restrictions.',
      '554 Email rejected due to security policies - https://community.mimecast.com/docs/DOC-1369#554 [us149]',
      '553 Specified domain is not allowed.',
      '553 User refused to receive this mail.',
      '550 Mail is rejected by recipients https://service.mail.qq.com/detail/122/92',
      '550 Requested action not taken: no smtp MX only',
    ],
  },
];
