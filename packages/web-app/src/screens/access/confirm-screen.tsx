import { getRouteApi } from '@tanstack/react-router';
import { LinkButton } from '../../design/button.tsx';
import { AccessPanel } from './access-panel.tsx';
import { ConfirmWithPassword } from './confirm-with-password.tsx';
import { ConfirmWithoutPassword } from './confirm-without-password.tsx';

const route = getRouteApi('/confirm');

/**
 * Where links in mails lead to. Nothing is sent until its reader presses the button, so that no scanner of mail uses a
 * link up.
 */
export function ConfirmScreen() {
  const { link } = route.useRouteContext();
  if (!link) {
    return (
      <AccessPanel
        title="This link is not complete"
        lead="Open it from the mail again, or copy it whole: what makes it yours stands at its end."
      >
        <LinkButton to="/sign-in">To the sign-in</LinkButton>
      </AccessPanel>
    );
  }
  const { token, purpose } = link;
  // A second link that is opened in the same page begins anew.
  return purpose === 'email_change' || purpose === 'opt_out' ? (
    <ConfirmWithoutPassword key={token} token={token} purpose={purpose} />
  ) : (
    <ConfirmWithPassword key={token} token={token} purpose={purpose} />
  );
}
