import { useNavigate } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { api } from '../../api/client.ts';
import { asProblem, type ProblemCode } from '../../api/problem.ts';
import { AnchorButton, Button, LinkButton } from '../../design/button.tsx';
import { Row } from '../../design/layout.tsx';
import { Failure, Loading, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { AccessPanel } from '../access/access-panel.tsx';
import { type CrmCallback, storedCrmCallback } from './crm-callback.ts';
import { crmNames } from './crms.ts';

/** The problems after which nothing was done, so that the CRM's parameters are still valid. */
const mayTryAgain: readonly (ProblemCode | undefined)[] = [
  undefined,
  'not_signed_in',
  'too_many_failed_attempts',
  'rate_limited',
  'service_unavailable',
];

/** Completes a connection with the parameters of the CRM's redirect, then opens it. */
export function CrmCallbackScreen() {
  const given = storedCrmCallback();
  return (
    <AccessPanel title="Connect a CRM">
      {given ? (
        <Completion given={given} />
      ) : (
        <>
          <Notice tone="caution" title="This URL is incomplete">
            Connect the CRM again.
          </Notice>
          <LinkButton to="/integrations" look="primary">
            Go to integrations
          </LinkButton>
        </>
      )}
    </AccessPanel>
  );
}

/** Sent without a button: the state works once, and only for the user who started the connection. */
function Completion({ given }: { readonly given: CrmCallback }) {
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
    // Sends only once, even if mounted twice as in development: the parameters work only once.
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
          Sign in in another tab, come back to this one, then try again. The CRM’s authorization is valid for
          ten minutes.
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
          <LinkButton to="/integrations">Go to integrations</LinkButton>
        )}
      </Row>
    </>
  );
}
