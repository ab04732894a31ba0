import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { asProblem, type ProblemCode } from '../../api/problem.ts';
import { AnchorButton, Button, LinkButton } from '../../design/button.tsx';
import { Row } from '../../design/layout.tsx';
import { Failure, Loading, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { AccessPanel } from '../access/access-panel.tsx';
import { type CrmGiven, keptGiven } from './crm-given.ts';
import { crmNames } from './crms.ts';

/** Nothing was done, so that what the CRM gave is still good. */
const mayTryAgain: readonly (ProblemCode | undefined)[] = [
  undefined,
  'not_signed_in',
  'too_many_failed_attempts',
  'rate_limited',
  'service_unavailable',
];

/** Completes a connection with what the CRM gave the browser, and goes on to it. */
export function CrmCallbackScreen() {
  const given = keptGiven();
  return (
    <AccessPanel title="Connect a CRM">
      {given ? (
        <Completion given={given} />
      ) : (
        <>
          <Notice tone="caution" title="This address is not complete">
            Connect the CRM once more.
          </Notice>
          <LinkButton to="/integrations" look="primary">
            Go to the integrations
          </LinkButton>
        </>
      )}
    </AccessPanel>
  );
}

/** Sent by itself: the state is of use to nobody but whoever began, and once. */
function Completion({ given }: { readonly given: CrmGiven }) {
  const navigate = useNavigate();
  const [error, setError] = useState<unknown>();
  const isSent = useRef(false);
  async function complete() {
    setError(undefined);
    try {
      const { data } = await api.POST('/crm-connections/completion', { body: given });
      if (!data) return;
      announce(`${crmNames[data.provider]} is connected: ${data.organisation.name}.`);
      await navigate({
        to: '/integrations/crm/$connectionId',
        params: { connectionId: data.connection_id },
        replace: true,
      });
    } catch (cause) {
      setError(cause);
    }
  }
  const begin = useEffectEvent(complete);
  useEffect(() => {
    // Mounted twice, as development does, it sends once: what was given is good once.
    if (isSent.current) return;
    isSent.current = true;
    void begin();
  }, []);
  if (error === undefined) return <Loading lines={1} name="Completing the connection" />;
  const { code } = asProblem(error);
  return (
    <>
      {code === 'not_signed_in' ? (
        <Notice tone="caution" title="You are not signed in to Mailproof in this browser" alert>
          Sign in in another tab, come back to this one, then try again. What the CRM has said is good for ten
          minutes.
        </Notice>
      ) : (
        <Failure error={error} />
      )}
      <Row>
        {mayTryAgain.includes(code) && (
          <Button look="primary" onClick={complete}>
            Try again
          </Button>
        )}
        {code === 'not_signed_in' ? (
          <AnchorButton href={`${import.meta.env.BASE_URL}sign-in`} target="_blank" rel="noreferrer">
            Sign in in another tab
          </AnchorButton>
        ) : (
          <LinkButton to="/integrations">Go to the integrations</LinkButton>
        )}
      </Row>
    </>
  );
}
