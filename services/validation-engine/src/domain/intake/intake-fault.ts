/** The import is refused; the message is a sentence for the client that says why. */
export class IntakeFault extends Error {
  override readonly name = 'IntakeFault';
  readonly code:
    | 'body_too_large'
    | 'file_not_readable'
    | 'invalid_request'
    | 'no_addresses_found'
    | 'not_a_sandbox_address'
    | 'request_timeout'
    | 'too_many_rows'
    | 'too_many_unstarted_jobs';

  /** The other sheets of the workbook, if one of them may be the list. */
  readonly otherSheets: readonly string[];

  constructor(
    code: IntakeFault['code'],
    message: string,
    options: ErrorOptions & { readonly otherSheets?: readonly string[] } = {},
  ) {
    super(message, options);
    this.code = code;
    this.otherSheets = options.otherSheets ?? [];
  }
}

export function notReadable(message: string, options?: ErrorOptions): IntakeFault {
  return new IntakeFault('file_not_readable', message, options);
}
