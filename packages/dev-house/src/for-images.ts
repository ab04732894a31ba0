/** What the check of the images shares with a start, besides what tests use. */
export { readCredentials } from './demo-account.ts';
export { validateFirstAddress } from './first-validation.ts';
export { freePort } from './free-port.ts';
