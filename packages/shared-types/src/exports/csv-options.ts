import { z } from 'zod';

/** The delimiters of a CSV file, by name. */
export const csvDelimiters = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;

export type CsvDelimiter = keyof typeof csvDelimiters;

/** The format of a CSV file. */
export const csvOptions = z
  .strictObject({
    delimiter: z
      .enum(Object.keys(csvDelimiters) as [CsvDelimiter, ...CsvDelimiter[]])
      .optional()
      .describe(
        'Cell separator. Defaults to `comma`; spreadsheets in countries with a decimal comma expect `semicolon`.',
      ),
    byte_order_mark: z
      .boolean()
      .optional()
      .describe('If true, the file starts with a byte order mark, which tells Excel that it is UTF-8.'),
  })
  .meta({ id: 'CsvOptions' });

export type CsvOptions = z.output<typeof csvOptions>;
