import { asProblem } from '../../api/problem.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Card, Row } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { type AddressCheck, askAgain, giveUp } from './address-checks.ts';
import { VerdictCard } from './verdict-card.tsx';
import { Waiting } from './waiting.tsx';

interface CheckOutcomeProps {
  readonly check: AddressCheck;
  readonly onAsk: (email: string) => void;
}

/** Where a check has come to. */
export function CheckOutcome({ check, onAsk }: CheckOutcomeProps) {
  switch (check.state) {
    case 'running':
      return <Waiting check={check} onGiveUp={() => giveUp(check)} />;
    case 'answered':
      return check.answer && <VerdictCard answer={check.answer} runId={check.runId} onAsk={onAsk} />;
    case 'cancelled':
      return (
        <Card>
          <Notice tone="neutral" title={`You stopped checking ${check.email}.`}>
            <span>Nothing was charged.</span>
            <Button onClick={() => askAgain(check)}>Check it after all</Button>
          </Notice>
        </Card>
      );
    case 'failed':
      return <FailedCheck check={check} />;
  }
}

function FailedCheck({ check }: { readonly check: AddressCheck }) {
  const { code, detail } = asProblem(check.error);
  if (code === 'invalid_email_address') {
    return (
      <Card>
        <Notice tone="caution" title={`“${check.email}” is not an email address.`} alert>
          <span>{detail} Nothing was charged.</span>
        </Notice>
      </Card>
    );
  }
  if (code === 'credits_exhausted') {
    return (
      <Card>
        <Notice tone="caution" title="You are out of credits." alert>
          <span>
            A check needs 1 credit. Credits come with the next billing cycle, or with a larger plan at once.
          </span>
          <Row>
            <Button onClick={() => askAgain(check)}>Try again</Button>
            <LinkButton to="/account">See the plans</LinkButton>
          </Row>
        </Notice>
      </Card>
    );
  }
  return (
    <Card>
      <Failure error={check.error} onRetry={() => askAgain(check)} />
    </Card>
  );
}
