import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
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
            findUrl={async () => (await api.POST('/plan/payment-portal')).data?.url}
            onError={setError}
          >
            Open invoices
          </LeaveButton>
        )}
        {topUps.map(credits => (
          <LeaveButton
            key={credits}
            findUrl={async () => (await api.POST('/plan/top-up', { body: { credits } })).data?.url}
            onError={setError}
          >
            {`Buy ${formatCredits(credits)}`}
          </LeaveButton>
        ))}
      </Row>
    </Card>
  );
}

interface LeaveButtonProps {
  readonly look?: 'primary';
  readonly findUrl: () => Promise<string | undefined>;
  /** Receives the error of the last attempt, and undefined when another begins. */
  readonly onError: (error: unknown) => void;
  readonly children: ReactNode;
}

/** A button that asks for a page of the payment provider, and goes there. */
export function LeaveButton({ look, findUrl, onError, children }: LeaveButtonProps) {
  const [busy, setBusy] = useState(false);
  async function leave() {
    setBusy(true);
    onError(undefined);
    try {
      const url = await findUrl();
      if (url?.startsWith('https://')) window.location.assign(url);
    } catch (fault) {
      onError(fault);
    }
    setBusy(false);
  }
  return (
    <Button onClick={leave} busy={busy} {...(look && { look })}>
      {children}
    </Button>
  );
}
