import { z } from 'zod';

/** What may stand between the cells of a file, by its name. */
export const csvDelimiters = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;

export type CsvDelimiter = keyof typeof csvDelimiters;

/** How a file is written. */
export const csvOptions = z
  .strictObject({
    delimiter: z
      .enum(Object.keys(csvDelimiters) as [CsvDelimiter, ...CsvDelimiter[]])
      .optional()
      .describe(
        'What stands between cells. `comma` if left out; spreadsheets in countries with a decimal comma expect `semicolon`.',
      ),
    byte_order_mark: z
      .boolean()
      .optional()
      .describe('True begins the file with a byte order mark, by which Excel knows that it is UTF-8.'),
  })
  .meta({ id: 'CsvOptions' });

export type CsvOptions = z.output<typeof csvOptions>;
