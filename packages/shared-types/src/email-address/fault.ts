/** The reasons why a string is not a valid address. */
export type FaultCode =
  | 'empty'
  | 'not_unicode'
  | 'invisible_character'
  | 'at_sign_missing'
  | 'address_too_long'
  | 'local_part_empty'
  | 'local_part_too_long'
  | 'local_part_character'
  | 'local_part_dots'
  | 'quotes_unbalanced'
  | 'comment'
  | 'domain_empty'
  | 'domain_too_long'
  | 'domain_label'
  | 'domain_character'
  | 'address_literal';

/** A refusal: the violated rule, and a sentence for the person who typed the address. */
export interface Fault {
  readonly code: FaultCode;
  readonly message: string;
}

export type Parsed<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly fault: Fault };

export function fault(code: FaultCode, message: string): { ok: false; fault: Fault } {
  return { ok: false, fault: { code, message } };
}
