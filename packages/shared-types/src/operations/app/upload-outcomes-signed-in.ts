import { defineOperation } from '../../define-operation.ts';
import { uploadOutcomes } from '../public/upload-outcomes.ts';
import { memberOnly } from './view-parts.ts';

const { headers: _rateLimitHeaders, ...success } = uploadOutcomes.success;

/** Uploads outcomes for a signed-in user instead of an API client; everything except the authentication is the same. */
export const uploadOutcomesSignedIn = defineOperation({
  ...uploadOutcomes,
  id: 'upload-outcomes-signed-in',
  path: '/app/v1/outcomes',
  answeredBy: 'gateway',
  access: memberOnly('twin'),
  success,
});
