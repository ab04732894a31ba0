/** Functions that the image check shares with `npm start`, in addition to those that tests use. */
export { readCredentials } from './demo-account.ts';
export { validateFirstAddress } from './first-validation.ts';
export { freePort } from './service-instances.ts';
