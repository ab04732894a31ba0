import type { EmailAddress } from '@mailproof/shared-types';
import type { Reply } from '../smtp/reply.ts';
import type { Transcript } from '../smtp/transcript.ts';
import type { Attempt } from '../verdict/evidence.ts';
import type { EvidenceSource } from './evidence-source.ts';
import type { SourceFindings } from './observation.ts';

type Finding = SourceFindings['differential_reply'];

/** Differences between the replies to the real recipient and to made-up ones, all of which were accepted. */
export const differentialReply: EvidenceSource = {
  id: 'differential_reply',
  privacy: 'nothing',
  cost: { smtpConnections: 0, dnsQuestions: 0, httpsRequests: 0 },
  enabledByDefault: true,
  async gather(_ports, { attempts, errand }) {
    return {
      observations: attempts.flatMap(attempt => {
        const transcript = comparisonIn(attempt);
        return transcript === undefined
          ? []
          : [
              {
                source: 'differential_reply' as const,
                finding: compareReplies(transcript, errand.email),
                host: attempt.host,
              },
            ];
      }),
    };
  },
};

function comparisonIn(attempt: Attempt): Transcript | undefined {
  return attempt.kind === 'probed' && attempt.result.kind === 'answered' && attempt.result.madeUp.length > 0
    ? attempt.transcript
    : undefined;
}

/** Compares the acceptance of the real recipient with those of the made-up ones of the same session. */
export function compareReplies(transcript: Transcript, { localPart, domain }: EmailAddress): Finding {
  const accepted = transcript.flatMap(({ stage, command, outcome }) =>
    stage === 'rcpt' && outcome.kind === 'reply' && outcome.reply.code < 300
      ? [{ command, reply: outcome.reply }]
      : [],
  );
  const realCommand = `RCPT TO:<${localPart.wireForm}@${domain.ascii}>`;
  const real = accepted.find(({ command }) => command === realCommand);
  const madeUp = accepted.filter(({ command }) => command !== realCommand);
  if (real === undefined || madeUp.length === 0) {
    return 'no_answer';
  }
  if (madeUp.every(({ reply }) => reply.code !== real.reply.code)) {
    // 252 admits that nothing is known of the recipient (RFC 5321 section 3.5.3), so for the real one it is no praise.
    return real.reply.code === 252 ? 'no_answer' : 'code_differs';
  }
  if (madeUp.every(({ reply }) => reply.enhanced !== real.reply.enhanced)) {
    return 'status_differs';
  }
  const locals = [real, ...madeUp].map(({ command }) =>
    command.slice('RCPT TO:<'.length, command.lastIndexOf('@')),
  );
  const realText = wordsOf(real.reply, locals);
  return madeUp.every(({ reply }) => wordsOf(reply, locals) !== realText) ? 'text_differs' : 'alike';
}

/** The words of a reply without what differs in any case: addresses, names of recipients, and marks with digits. */
function wordsOf({ lines }: Reply, localParts: readonly string[]): string {
  const names = new Set(localParts.map(localPart => localPart.toLowerCase()));
  return lines
    .join(' ')
    .toLowerCase()
    .split(/[\s<>()[\]:;,]+/)
    .filter(word => word !== '' && !/[\d@]/.test(word) && !names.has(word))
    .join(' ');
}
