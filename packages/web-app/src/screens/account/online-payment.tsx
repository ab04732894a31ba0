import { useState } from 'react';
import { api } from '../../api/client.ts';
import { LeaveButton } from '../../design/button.tsx';
import { formatCredits } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Failure } from '../../design/states.tsx';
import type { AccountPlan } from './plan-facts.ts';

/** What owners pay and change on the payment provider's pages. */
export function OnlinePayment({
  has_portal: hasPortal,
  top_ups: topUps,
}: NonNullable<AccountPlan['online_payment']>) {
  const [error, setError] = useState<unknown>();
  if (!hasPortal && topUps.length === 0) return null;
  return (
    <Card title="Payment">
      <p>
        {hasPortal
          ? 'Invoices and means of payment are on the pages of our payment provider.'
          : 'You pay on the pages of our payment provider.'}
      </p>
      {error !== undefined && <Failure error={error} />}
      <Row>
        {hasPortal && (
          <LeaveButton
            findUrl={async () => paymentPage((await api.POST('/plan/payment-portal')).data?.url)}
            onError={setError}
          >
            Open invoices
          </LeaveButton>
        )}
        {topUps.map(credits => (
          <LeaveButton
            key={credits}
            findUrl={async () =>
              paymentPage((await api.POST('/plan/top-up', { body: { credits } })).data?.url)
            }
            onError={setError}
          >
            {`Buy ${formatCredits(credits)}`}
          </LeaveButton>
        ))}
      </Row>
    </Card>
  );
}

/**
 * The page of the payment provider at which the user pays.
 *
 * @throws if the API gave none
 */
export function paymentPage(url: string | undefined): string {
  if (!url?.startsWith('https://')) throw new Error('There is no page to pay at. Reload this page.');
  return url;
}
