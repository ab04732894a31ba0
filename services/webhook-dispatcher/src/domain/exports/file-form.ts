import {
  type CsvOptions,
  csvDelimiters,
  type FileEncoding,
  type FileOptions,
  type UploadedFile,
  workbookMediaType,
} from '@mailproof/shared-types';
import type { CsvForm } from '../csv/write-csv.ts';

/** How the file of an export is written. */
export type FileForm =
  | { readonly format: 'csv'; readonly encoding: FileEncoding; readonly csv: CsvForm }
  | { readonly format: 'ndjson' | 'xlsx' };

const plainForm: CsvForm = { delimiter: ',', byteOrderMark: false, lineEnd: 'crlf', quotes: 'needed' };

/**
 * Returns the form that the options ask for.
 *
 * @param uploaded how the rows came in, which `as_uploaded` repeats
 */
export function fileFormOf(options: FileOptions, uploaded: UploadedFile | undefined): FileForm {
  const { format = 'csv' } = options;
  const like = format === 'as_uploaded' ? uploaded : undefined;
  const wanted = format === 'as_uploaded' ? (uploaded?.format ?? 'csv') : format;
  return wanted === 'csv'
    ? { format: 'csv', encoding: like?.encoding ?? 'utf-8', csv: csvFormOf(options, like) }
    : { format: wanted };
}

/** Returns the form of a CSV file, like the uploaded one unless the options say otherwise. */
export function csvFormOf(
  { delimiter, byte_order_mark: byteOrderMark }: CsvOptions,
  like?: UploadedFile,
): CsvForm {
  return {
    ...plainForm,
    ...(like && {
      // A file of one column has no delimiter, but its results have several columns.
      delimiter: like.delimiter || plainForm.delimiter,
      byteOrderMark: like.byte_order_mark,
      lineEnd: like.line_end,
      quotes: like.quotes,
    }),
    ...(delimiter !== undefined && { delimiter: csvDelimiters[delimiter] }),
    ...(byteOrderMark !== undefined && { byteOrderMark }),
  };
}

/** The media type of a file. */
export function mediaTypeOf(form: FileForm): string {
  switch (form.format) {
    case 'csv':
      return `text/csv; charset=${form.encoding}`;
    case 'ndjson':
      return 'application/x-ndjson; charset=utf-8';
    case 'xlsx':
      return workbookMediaType;
  }
}
