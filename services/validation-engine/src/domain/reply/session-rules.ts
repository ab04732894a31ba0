import type { ReplyRule } from './reply-rule.ts';

/** Replies about the course of the session itself. */
export const sessionRules: readonly ReplyRule[] = [
  {
    meaning: 'tls_required',
    code: /^(?:530|538|550|554|451)$/,
    text: /must (?:first )?(?:issue|use|send) (?:a )?starttls|starttls (?:is )?(?:required|command first)|(?:tls|encryption) (?:is )?(?:required|needed|mandatory)|session encryption is required|requires? (?:tls|encryption)/,
    samples: [
      '530 5.7.0 Must issue a STARTTLS command first',
      '530 5.7.1 Session encryption is required',
      '451 5.7.3 STARTTLS is required to send mail [BN8NAM11FT050.eop-nam11.prod.protection.outlook.com]',
      '550 5.7.10 Encryption required for this recipient',
    ],
  },
  {
    meaning: 'too_many_recipients',
    stages: ['rcpt'],
    enhanced: /^[45]\.5\.3$/,
    samples: [
      '452 4.5.3 Error: too many recipients',
      '452 4.5.3 Your message has too many recipients. For more information regarding',
      '550 5.5.3 Too many recipients',
    ],
  },
  {
    meaning: 'too_many_recipients',
    stages: ['rcpt'],
    text: /too many recipients|maximum number of recipients|recipient limit|one (?:recipient|rcpt)(?: \w+)? at a time|multiple recipients (?:not allowed|disallowed)/,
    samples: [
      '452 Too many recipients received this hour',
      '451 4.3.0 Multiple destination domains per transaction is unsupported. Please try again. One recipient at a time.',
      '550 Maximum number of recipients exceeded',
    ],
  },
];
