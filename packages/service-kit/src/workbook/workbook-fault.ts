/** A workbook is refused; the message is a sentence for the client that says why. */
export class WorkbookFault extends Error {
  override readonly name = 'WorkbookFault';
  readonly code: 'body_too_large' | 'file_not_readable';

  constructor(code: WorkbookFault['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export function notReadable(message: string, options?: ErrorOptions): WorkbookFault {
  return new WorkbookFault('file_not_readable', message, options);
}
