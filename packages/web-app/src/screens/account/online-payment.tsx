import { type ReactNode, useState } from 'react';
import { api } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { formatCredits } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Failure } from '../../design/states.tsx';
import type { AccountPlan } from './plan-facts.ts';

/** What owners pay and change on the payment provider's pages. */
export function OnlinePayment({ top_ups: topUps }: NonNullable<AccountPlan['online_payment']>) {
  return (
    <Card title="Payment">
      <p>Invoices and means of payment are on the pages of our payment provider, once you have paid there.</p>
      <Row>
        <LeaveButton findUrl={async () => (await api.POST('/plan/payment-portal')).data?.url}>
          Open invoices
        </LeaveButton>
        {topUps.map(credits => (
          <LeaveButton
            key={credits}
            findUrl={async () => (await api.POST('/plan/top-up', { body: { credits } })).data?.url}
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
  readonly children: ReactNode;
}

/** A button that asks for a page of the payment provider, and goes there. */
export function LeaveButton({ look, findUrl, children }: LeaveButtonProps) {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  async function leave() {
    setBusy(true);
    setError(undefined);
    try {
      const url = await findUrl();
      if (url?.startsWith('https://')) window.location.assign(url);
    } catch (fault) {
      setError(fault);
    }
    setBusy(false);
  }
  return (
    <>
      <Button onClick={leave} busy={busy} {...(look && { look })}>
        {children}
      </Button>
      {error !== undefined && <Failure error={error} />}
    </>
  );
}
