import { defineOperation } from '../../operation.ts';
import { uploadOutcomes } from '../public/upload-outcomes.ts';
import { memberOnly } from './view-parts.ts';

const { headers: _rateLimitHeaders, ...success } = uploadOutcomes.success;

/** The upload of outcomes, by a person in place of a program; everything but who may is the same. */
export const uploadOutcomesSignedIn = defineOperation({
  ...uploadOutcomes,
  id: 'upload-outcomes-signed-in',
  path: '/app/v1/outcomes',
  access: memberOnly,
  success,
});
