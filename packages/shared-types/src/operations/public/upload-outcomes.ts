import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { limits } from '../../limits.ts';
import { outcomeCounts } from '../../outcomes.ts';
import { withCommas } from '../../with-commas.ts';
import { rateLimitHeaders, streamedBody } from '../public-parts.ts';

const count = z.int().nonnegative();

/** The result of an upload. */
export const outcomeUpload = z
  .object({
    rows: count.describe('Data rows, not counting the header and empty lines.'),
    recorded: count.describe('New outcomes.'),
    repeated: count.describe('Outcomes already reported by this account; they count once.'),
    refused: count.describe('Rows that were rejected.'),
    kinds: outcomeCounts,
    refusals: z
      .array(
        z.object({
          line: z.int().positive().describe('The line of the file where the row ends.'),
          reason: z.enum([
            'email_missing',
            'invalid_email_address',
            'unknown_outcome',
            'invalid_date',
            'in_the_future',
            'too_old',
          ]),
          detail: z.string(),
        }),
      )
      .describe(`The first ${limits.outcomeRefusalsShownMax} rejected rows, with the reason.`),
  })
  .meta({ id: 'OutcomeUpload' });

export const uploadOutcomes = defineOperation({
  id: 'upload-outcomes',
  method: 'post',
  path: '/api/v1/outcomes',
  summary: 'Upload mail outcomes',
  tag: 'Outcomes',
  description: `Reports the outcomes of mail that you sent, so that later validations of addresses at catch-all domains can use them. Free. Only keyed hashes of the addresses are stored.

Send CSV in strict UTF-8, separated by commas, semicolons, tabs or vertical bars, with a header. Columns are found by name: the address (\`email\`, \`recipient\`), the outcome (\`outcome\`, \`status\`, \`event\`), and optionally the date (\`date\`, \`timestamp\`; ISO 8601 or Unix time, defaults to today), the code of a bounce (\`code\`, \`smtp code\`, \`enhanced code\`) and its text (\`dsn\`, \`diagnostic\`, \`bounce message\`, \`reason\`). Outcomes are \`delivered\`, \`replied\` and \`bounced\`, and common synonyms. A bounce counts against an address only if its code or text says that the mailbox does not exist or is disabled.

At most ${withCommas(limits.outcomeUploadRowsMax)} rows and ${limits.outcomeUploadBytesMax / 1_000_000} MB. Rows are recorded as they arrive; if an upload is interrupted, repeat it: each outcome counts once.

With a test key, rows are judged in the same way and not stored.`,
  answeredBy: 'gateway',
  access: { kind: 'apiKey', scope: 'validation' },
  sandbox: true,
  body: streamedBody,
  bodyBytesMax: limits.outcomeUploadBytesMax,
  bodyMediaType: 'text/csv',
  bodyExample:
    'email,outcome,date,code\nada@company.example,delivered,2026-03-02,\ngrace@company.example,bounced,2026-03-02,550 5.1.1\nalan@company.example,eaten,2026-03-02,\n',
  success: {
    status: 200,
    description: 'The result of the upload.',
    schema: outcomeUpload,
    example: {
      rows: 3,
      recorded: 2,
      repeated: 0,
      refused: 1,
      kinds: {
        delivered: 1,
        replied: 0,
        mailbox_missing: 1,
        mailbox_disabled: 0,
        mailbox_full: 0,
        mailbox_rate_limited: 0,
        not_about_mailbox: 0,
      },
      refusals: [
        { line: 4, reason: 'unknown_outcome', detail: '"eaten" is not one of delivered, replied, bounced.' },
      ],
    },
    headers: rateLimitHeaders,
  },
  repeatable: true,
  problems: [],
});
