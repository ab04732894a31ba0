import { getRouteApi } from '@tanstack/react-router';
import { $api } from '../../api/client.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { AccessPanel } from './access-panel.tsx';

const route = getRouteApi('/notices/stop');

/** The screen that the link in a mailed notice opens. It sends nothing until the user presses the button. */
export function StopNoticesScreen() {
  const { token } = route.useRouteContext();
  const stop = $api.useMutation('post', '/notice-mail/{token}');
  if (token === undefined) {
    return (
      <AccessPanel
        title="This link is incomplete"
        lead="Open the link in the email again, or copy the complete link."
      >
        <LinkButton to="/account/notices">Choose what you are mailed</LinkButton>
      </AccessPanel>
    );
  }
  return (
    <AccessPanel
      title="Stop mails of this kind"
      lead="You can switch them on again under Account, “Notices”."
    >
      {stop.isSuccess ? (
        <>
          <Notice tone="good" title="Stopped" alert>
            <span>You get no more mails of this kind.</span>
          </Notice>
          <LinkButton to="/account/notices">Choose what you are mailed</LinkButton>
        </>
      ) : (
        <>
          {stop.isError && <Failure error={stop.error} />}
          <Button
            look="primary"
            busy={stop.isPending}
            onClick={() => stop.mutate({ params: { path: { token } } })}
          >
            Stop these mails
          </Button>
        </>
      )}
    </AccessPanel>
  );
}
