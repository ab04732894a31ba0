import { prices } from '@mailproof/shared-types';
import type { ReactNode } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { Cost } from '../../design/credits.tsx';
import { formatCredits, formatDay, formatNumber } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Meter } from '../../design/progress.tsx';
import { Answered, Failure } from '../../design/states.tsx';
import { useFinding } from './finding.ts';
import styles from './searches.module.css';

interface ShowMatchesProps {
  readonly title: string;
  /** Whether there is anything to show. */
  readonly canShow: boolean;
  readonly preview: { readonly isPending: boolean; readonly isError: boolean; readonly error: unknown };
  /** Receives the maximum price of the preview. */
  readonly onShow: (creditsMax: number) => void;
  /** Further fields. */
  readonly children: ReactNode;
  readonly otherwise?: ReactNode;
}

/** A button that shows the first people or companies that match, with its price. */
export function ShowMatches({ title, canShow, preview, onShow, children, otherwise }: ShowMatchesProps) {
  const balance = $api.useQuery('get', '/balance');
  const { many } = useFinding();
  return (
    <Card title={title}>
      <Answered question={balance} loading="Loading price">
        {known => {
          const price = previewPrice(known);
          return (
            <>
              <PreviewMeter balance={known} />
              {children}
              <Cost max={price} note={price === 0 ? '· uses one free preview' : 'for this preview'} />
              {preview.isError && <Failure error={preview.error} />}
              <Row>
                <Button
                  look="primary"
                  busy={preview.isPending}
                  disabled={!canShow || known.available < price}
                  onClick={() => onShow(price)}
                >
                  Show {many}
                </Button>
                {otherwise}
              </Row>
            </>
          );
        }}
      </Answered>
    </Card>
  );
}

/** The free previews left in the billing cycle, and the price of the next preview. */
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
          ? `New filters use one, the same filters again are free. After that, a preview costs ${formatCredits(prices.peoplePreview)}.`
          : `They are used up: each preview with new filters costs ${formatCredits(prices.peoplePreview)} until then.`}
      </p>
    </div>
  );
}

/** Returns the current maximum price of a preview, as the API expects it. */
function previewPrice(balance: Schema['AccountBalance']): number {
  return freePreviews(balance) > 0 ? 0 : prices.peoplePreview;
}

function freePreviews(balance: Schema['AccountBalance']): number {
  const allowance = previewsOf(balance);
  return allowance ? Math.max(0, allowance.limit - allowance.used) : 0;
}

function previewsOf({ allowances }: Schema['AccountBalance']) {
  return allowances.find(({ allowance }) => allowance === 'people_preview');
}
