import type { ReplyRule } from './reply-rule.ts';

/** Refusals by a rule of the house. They come last: what a rule says in words outweighs its number. */
export const policyRules: readonly ReplyRule[] = [
  {
    meaning: 'greylisted',
    code: /^4[25]\d$/,
    stages: ['mail', 'rcpt'],
    text: /come back later|please retry (?:later|in)|try again in \d+|first time sender|unknown (?:triplet|triple)|delayed (?:for|by) policy/,
    samples: [
      '451 4.7.1 Please try again in 300 seconds',
      '450 4.7.1 You are unknown to us, come back later',
      '451 First time sender, please retry later',
    ],
  },
  {
    // A passing verdict about our standing, such as a throttle by reputation.
    meaning: 'blocked',
    code: /^4/,
    enhanced: /^4\.7\.(?:25|28|6\d\d|[58]\d\d)$/,
    samples: [
      '451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited. For e-mail delivery information see https://postmaster.live.com',
      '451 4.7.500 Server busy. Please try again later from [192.0.2.1]. (S77719)',
      '421 4.7.28 Gmail has detected an unusual rate',
    ],
  },
  {
    meaning: 'policy',
    code: /^5/,
    enhanced: /^5\.7\.\d+$/,
    samples: [
      '550 5.7.1 <staff@ordinary.example>: Recipient address rejected: Only members may post here',
      '550 5.7.504 [email@contoso.example]: Recipient address rejected: Access denied',
      '550 5.7.1 RESOLVER.RST.NotAuthorized; not authorized',
      '554 5.7.1 <ada@ordinary.example>: Recipient address rejected: Access denied',
    ],
  },
  {
    // Postscreen's punishment of clients that talk too early, and other complaints about how we talk.
    meaning: 'policy',
    code: /^5/,
    enhanced: /^5\.5\.[124]$/,
    samples: ['550 5.5.1 Protocol error', '503 5.5.1 Error: need MAIL command'],
  },
  {
    meaning: 'policy',
    code: /^5/,
    text: /relay|not permitted|not allowed|not authori[sz]ed|policy|prohibited|rcpthosts|administrative|members only/,
    samples: [
      '553 sorry, that domain isn’t in my list of allowed rcpthosts (#5.7.1)',
      '550 Administrative prohibition',
      '550 Message was not accepted due to policy',
    ],
  },
];
