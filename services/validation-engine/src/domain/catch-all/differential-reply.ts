import type { EmailAddress } from '@mailproof/shared-types';
import type { ProbeResult } from '../smtp/probe-recipient.ts';
import type { Reply } from '../smtp/reply.ts';
import type { EvidenceSource } from './evidence-source.ts';
import type { SourceFindings } from './observation.ts';

type Finding = SourceFindings['differential_reply'];

/** Differences between the replies to the real recipient and to made-up ones, if all of them were accepted. */
export const differentialReply: EvidenceSource = {
  id: 'differential_reply',
  privacy: 'nothing',
  cost: { smtpConnections: 0, dnsQuestions: 0, httpsRequests: 0 },
  enabledByDefault: true,
  async gather(_ports, { attempts, task }) {
    return {
      observations: attempts.flatMap(attempt =>
        attempt.kind === 'probed' && attempt.result.kind === 'answered' && attempt.result.madeUp.length > 0
          ? [
              {
                source: 'differential_reply' as const,
                finding: compareReplies(attempt.result, task.email),
                host: attempt.host,
              },
            ]
          : [],
      ),
    };
  },
};

/** Compares the acceptance of the real recipient with those of made-up ones by the same host. */
export function compareReplies(
  { recipient, reply: real, madeUp }: Extract<ProbeResult, { kind: 'answered' }>,
  { localPart }: EmailAddress,
): Finding {
  const others = madeUp.flatMap(({ finding, reply }) => (finding === 'accepted' && reply ? [reply] : []));
  if (recipient !== 'accepted' || real === undefined || others.length === 0) {
    return 'no_answer';
  }
  if (others.every(({ code }) => code !== real.code)) {
    // 252 admits that nothing is known about the recipient (RFC 5321 section 3.5.3), so it does not speak for the real
    // one.
    return real.code === 252 ? 'no_answer' : 'code_differs';
  }
  if (others.every(({ enhanced }) => enhanced !== real.enhanced)) {
    return 'status_differs';
  }
  const names = [localPart.wireForm, ...madeUp.map(made => made.localPart)];
  const realText = wordsOf(real, names);
  return others.every(reply => wordsOf(reply, names) !== realText) ? 'text_differs' : 'alike';
}

/** The words of a reply without the parts that always differ: addresses, names of recipients, and words with digits. */
function wordsOf({ lines }: Reply, localParts: readonly string[]): string {
  const names = new Set(localParts.map(localPart => localPart.toLowerCase()));
  return lines
    .join(' ')
    .toLowerCase()
    .split(/[\s<>()[\]:;,]+/)
    .filter(word => word !== '' && !/[\d@]/.test(word) && !names.has(word))
    .join(' ');
}
