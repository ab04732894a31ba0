import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useForm } from 'react-hook-form';
import { api } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { PasswordInput, PasswordOwner, passwordHint } from '../../design/field.tsx';
import { newPasswordFault } from '../../design/field-rules.ts';
import { Failure, Notice } from '../../design/states.tsx';
import { changedHere, endedHere, startedHere } from '../../shell/session.ts';
import { AccessPanel } from './access-panel.tsx';
import type { LinkPurpose } from './page-addresses.ts';

const route = getRouteApi('/confirm');

/**
 * The screen that emailed links open. It sends nothing until the user presses the button, so that mail scanners do not
 * use up a link.
 */
export function ConfirmScreen() {
  const { link } = route.useRouteContext();
  if (!link) {
    return (
      <AccessPanel
        title="This link is incomplete"
        lead="Open the link in the email again, or copy the complete link."
      >
        <LinkButton to="/sign-in">Go to sign-in</LinkButton>
      </AccessPanel>
    );
  }
  const { token, purpose } = link;
  // A second link opened in the same page starts with fresh state.
  return purpose === 'email_change' || purpose === 'opt_out' ? (
    <ConfirmWithoutPassword key={token} token={token} purpose={purpose} />
  ) : (
    <ConfirmWithPassword key={token} token={token} purpose={purpose} />
  );
}

type PasswordPurpose = Exclude<LinkPurpose, 'email_change' | 'opt_out'>;
type Body = { readonly token: string; readonly password: string };

const passwordWords = {
  sign_up: {
    title: 'Create your account',
    lead: 'One last step: choose your password.',
    button: 'Create account',
  },
  invitation: {
    title: 'Accept the invitation',
    lead: 'You join the account named in the email. Choose your password.',
    button: 'Join',
  },
  password_reset: {
    title: 'Set a new password',
    lead: 'You will be signed out everywhere, and assistants that you connected will be disconnected.',
    button: 'Set password',
  },
} as const satisfies Record<PasswordPurpose, object>;

const send = {
  sign_up: (body: Body) => api.POST('/sign-ups/confirmation', { body }),
  invitation: (body: Body) => api.POST('/members/invitations/confirmation', { body }),
  password_reset: (body: Body) => api.POST('/password-resets/confirmation', { body }),
} as const satisfies Record<PasswordPurpose, (body: Body) => Promise<unknown>>;

/** The form for links that require the user to choose a password. */
function ConfirmWithPassword({
  token,
  purpose,
}: {
  readonly token: string;
  readonly purpose: PasswordPurpose;
}) {
  const { register, handleSubmit, formState, setError } = useForm<{ password: string }>();
  const [refusal, setRefusal] = useState<unknown>();
  const { title, lead, button } = passwordWords[purpose];
  const submit = handleSubmit(async ({ password }) => {
    setRefusal(undefined);
    try {
      await send[purpose]({ token, password });
    } catch (error) {
      const { code, detail, title: sentence } = asProblem(error);
      if (code === 'password_refused')
        setError('password', { message: detail ?? sentence }, { shouldFocus: true });
      else setRefusal(error);
      return;
    }
    if (purpose === 'password_reset') endedHere('password_set');
    else if (purpose === 'sign_up') startedHere('/', 'Your account is ready. Welcome!');
    else startedHere('/', 'You have joined the account. Welcome!');
  });
  return (
    <AccessPanel title={title} lead={lead}>
      {refusal !== undefined && <LinkRefusal error={refusal} purpose={purpose} />}
      <form onSubmit={submit} hidden={refusal !== undefined && asProblem(refusal).code === 'link_not_valid'}>
        <PasswordOwner />
        <PasswordInput
          label="New password"
          autoComplete="new-password"
          hint={passwordHint}
          error={formState.errors.password?.message}
          {...register('password', { validate: newPasswordFault })}
        />
        <Button type="submit" look="primary" busy={formState.isSubmitting}>
          {button}
        </Button>
      </form>
    </AccessPanel>
  );
}

type PlainPurpose = Extract<LinkPurpose, 'email_change' | 'opt_out'>;

const plainWords = {
  email_change: {
    title: 'Confirm email address',
    lead: 'After you confirm, sign in with the address that received this email. All sessions end, except the one that requested the change.',
    done: 'Your email address has changed. Sign in with the new one from now on.',
  },
  opt_out: {
    title: 'Confirm opt-out',
    lead: 'All data about this person is deleted from every customer’s account and not stored again. This cannot be undone.',
    done: 'Your opt-out is complete. The data is deleted and will not be stored again.',
  },
} as const satisfies Record<PlainPurpose, object>;

/** The form for links that only need confirmation. */
function ConfirmWithoutPassword({
  token,
  purpose,
}: {
  readonly token: string;
  readonly purpose: PlainPurpose;
}) {
  const [state, setState] = useState<'asked' | 'busy' | 'done'>('asked');
  const [refusal, setRefusal] = useState<unknown>();
  const { title, lead, done } = plainWords[purpose];
  async function confirm() {
    setState('busy');
    setRefusal(undefined);
    try {
      const body = { token };
      await (purpose === 'opt_out'
        ? api.POST('/opt-outs/confirmation', { body })
        : api.POST('/email-changes/confirmation', { body }));
      changedHere();
      setState('done');
    } catch (error) {
      setRefusal(error);
      setState('asked');
    }
  }
  if (state === 'done') {
    return (
      <AccessPanel title="Done">
        <Notice tone="good" alert>
          {done}
        </Notice>
        {purpose === 'email_change' && (
          <LinkButton to="/" look="primary">
            Continue
          </LinkButton>
        )}
      </AccessPanel>
    );
  }
  return (
    <AccessPanel title={title} lead={lead}>
      {refusal !== undefined && <LinkRefusal error={refusal} purpose={purpose} />}
      <Button look="primary" busy={state === 'busy'} onClick={confirm}>
        {title}
      </Button>
    </AccessPanel>
  );
}

/** How to get a new link of each kind. */
const again = {
  sign_up: <Link to="/sign-up">Request a new link</Link>,
  password_reset: <Link to="/forgot-password">Request a new link</Link>,
  email_change: <span>Request a new link in your account settings.</span>,
  opt_out: <Link to="/opt-out">Request a new link</Link>,
  invitation: <span>Ask the person who invited you to send a new invitation.</span>,
} as const satisfies Record<LinkPurpose, ReactNode>;

/** Explains why a link was refused, and what to do. */
function LinkRefusal({ error, purpose }: { readonly error: unknown; readonly purpose: LinkPurpose }) {
  const { code } = asProblem(error);
  if (code === 'link_not_valid') {
    return (
      <Notice tone="caution" title="This link has expired or was already used" alert>
        <span>Each link works once and for a limited time. A newer email replaces an older one.</span>
        {again[purpose]}
      </Notice>
    );
  }
  if (code === 'email_taken') {
    return (
      <Notice tone="caution" title="This email address is already in use" alert>
        <Link to="/sign-in">Sign in with it</Link>
      </Notice>
    );
  }
  return <Failure error={error} />;
}
