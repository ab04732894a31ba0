/** Why a CRM did not do what it was asked for. */
export type CrmFaultKind =
  /** Too many calls: it asks us to wait, for `waitMs`. */
  | 'throttled'
  /** The calls of a day are used up. */
  | 'exhausted'
  /** It does not answer, or says that it cannot at present. */
  | 'away'
  /** It does not accept our access, which could not be renewed. */
  | 'revoked'
  /** Our access does not reach so far. */
  | 'not_permitted'
  /** What was asked about is not there: a property, a segment, a kind of records. */
  | 'not_found'
  /** It does not take the call; a fault of ours, or of the mapping. */
  | 'refused';

/** A CRM did not do what it was asked for. The message never has a token, an address or a value of a record. */
export class CrmFault extends Error {
  override readonly name = 'CrmFault';
  readonly kind: CrmFaultKind;
  /** Time for which the CRM asks us to wait, in milliseconds; null where it says nothing. */
  readonly waitMs: number | null;
  /** What somebody has to do in the CRM so that it will do it, in a sentence for people; null where nobody knows. */
  readonly advice: string | null;

  constructor(kind: CrmFaultKind, waitMs: number | null = null, advice: string | null = null) {
    super(`The CRM does not do what it was asked for: ${kind}`);
    this.kind = kind;
    this.waitMs = waitMs;
    this.advice = advice;
  }
}
