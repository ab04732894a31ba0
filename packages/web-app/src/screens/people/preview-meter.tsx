import { prices } from '@mailproof/shared-types';
import type { Schema } from '../../api/client.ts';
import { formatCredits, formatDay, formatNumber } from '../../design/format.ts';
import { Meter } from '../../design/meter.tsx';
import styles from './people.module.css';

/** Free previews that are left in the billing cycle, and what the next one costs. */
export function PreviewMeter({ balance }: { readonly balance: Schema['AccountBalance'] }) {
  const allowance = previewsOf(balance);
  if (!allowance) return null;
  const { limit, cycle_ends_at: until } = allowance;
  const left = freePreviews(balance);
  return (
    <div className={styles.meter}>
      <div>
        <strong>
          {formatNumber(left)} of {formatNumber(limit)}
        </strong>{' '}
        free previews left until {formatDay(until)}
      </div>
      <Meter name="Free previews left" left={left} limit={limit} />
      <p className={styles.soft}>
        {left > 0
          ? `A search with new filters uses one. When they are used up, a preview costs ${formatCredits(prices.peoplePreview)}.`
          : `They are used up: each preview of new filters costs ${formatCredits(prices.peoplePreview)} until then.`}
      </p>
    </div>
  );
}

/** What a preview may cost now, as the API has to be told. */
export function previewPrice(balance: Schema['AccountBalance']): number {
  return freePreviews(balance) > 0 ? 0 : prices.peoplePreview;
}

function freePreviews(balance: Schema['AccountBalance']): number {
  const allowance = previewsOf(balance);
  return allowance ? Math.max(0, allowance.limit - allowance.used) : 0;
}

function previewsOf({ allowances }: Schema['AccountBalance']) {
  return allowances.find(({ allowance }) => allowance === 'people_preview');
}
