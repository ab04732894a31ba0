/** Ids have fifteen characters that tell capital and small letters apart, or three more that say which are capital. */
const idForm = /^[0-9A-Za-z]{15}(?:[0-9A-Za-z]{3})?$/;

/** Whether a text can be the id of a record of the kind with this prefix. */
export function isIdOf(keyPrefix: string, text: string): boolean {
  return idForm.test(text) && text.startsWith(keyPrefix);
}

export function isRecordId(text: string): boolean {
  return idForm.test(text);
}

/** What tells ids apart, whichever of both forms they have. */
export function idKey(id: string): string {
  return id.slice(0, 15);
}
