import { z } from 'zod';
import { limits } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { outcomeCounts } from '../../outcomes.ts';
import { noParams, noQuery, rateLimitHeaders, streamedBody } from '../public-parts.ts';

const count = z.int().nonnegative();

/** What became of an upload. */
export const outcomeUpload = z
  .object({
    rows: count.describe('Rows below the header, empty lines not counted.'),
    recorded: count.describe('Outcomes that were not known before.'),
    repeated: count.describe('Outcomes that this account had reported already; they count once.'),
    refused: count.describe('Rows that were passed over.'),
    kinds: outcomeCounts,
    refusals: z
      .array(
        z.object({
          line: z.int().positive().describe('The line of the file on which the row ends.'),
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
      .describe(`The first ${limits.outcomeRefusalsShownMax} rows that were refused, with the reason.`),
  })
  .meta({ id: 'OutcomeUpload' });

export const uploadOutcomes = defineOperation({
  id: 'upload-outcomes',
  method: 'post',
  path: '/api/v1/outcomes',
  summary: 'Upload outcomes of mail',
  tag: 'Outcomes',
  description: `Tells what became of mail that you sent, so that later validations of addresses at catch-all domains know it. Free of charge. The addresses are kept as keyed hashes alone.

Send CSV in UTF-8, which is read strictly, parted by commas, semicolons, tabs or vertical bars, with a header. Columns are found by their names: the address (\`email\`, \`recipient\`), the outcome (\`outcome\`, \`status\`, \`event\`), and, where you have them, the date (\`date\`, \`timestamp\`; ISO 8601 or Unix time, today when left out), the code of a bounce (\`code\`, \`smtp code\`, \`enhanced code\`) and its words (\`dsn\`, \`diagnostic\`, \`bounce message\`, \`reason\`). Outcomes are \`delivered\`, \`replied\` and \`bounced\`, and the usual other words for them. A bounce counts against an address only where its code or its words say that the mailbox is missing or disabled.

At most ${limits.outcomeUploadRowsMax.toLocaleString('en')} rows and ${limits.outcomeUploadBytesMax / 1_000_000} MB. Rows are recorded as they come in; when an upload breaks off, send it again: an outcome counts once.`,
  access: { kind: 'apiKey' },
  params: noParams,
  query: noQuery,
  body: streamedBody,
  bodyBytesMax: limits.outcomeUploadBytesMax,
  bodyMediaType: 'text/csv',
  bodyExample:
    'email,outcome,date,code\nada@company.example,delivered,2026-03-02,\ngrace@company.example,bounced,2026-03-02,550 5.1.1\nalan@company.example,eaten,2026-03-02,\n',
  success: {
    status: 200,
    description: 'What became of the rows.',
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
        { line: 4, reason: 'unknown_outcome', detail: '"eaten" is none of delivered, replied, bounced.' },
      ],
    },
    headers: rateLimitHeaders,
  },
  repeatable: true,
  problems: [],
});
