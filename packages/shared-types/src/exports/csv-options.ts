import { z } from 'zod';

/** The media type of an Excel workbook (.xlsx). */
export const workbookMediaType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

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

/** The formats of a downloaded file; `as_uploaded` is that of the file that the rows of a job came in. */
export const exportFormats = ['csv', 'ndjson', 'xlsx', 'as_uploaded'] as const;

export type ExportFormat = (typeof exportFormats)[number];

/** How the file of an export is written. */
export const fileOptions = csvOptions
  .extend({
    format: z
      .enum(exportFormats)
      .optional()
      .describe(
        'Format of the file; defaults to `csv`. `as_uploaded` writes a validation job as its list came in: a workbook, or CSV with the same delimiter, encoding, byte order mark, line ends and quotes; JSON comes back as `ndjson`. Other sources are written as `csv`. `delimiter` and `byte_order_mark` take precedence.',
      ),
  })
  .meta({ id: 'FileOptions' });

export type FileOptions = z.output<typeof fileOptions>;
