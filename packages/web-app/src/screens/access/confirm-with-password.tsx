import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { api } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Button } from '../../design/button.tsx';
import { PasswordInput, PasswordOwner, passwordHint } from '../../design/password-input.tsx';
import { newPasswordFault } from '../../design/password-rules.ts';
import { endedHere, startedHere } from '../../shell/session-changes.ts';
import { AccessPanel } from './access-panel.tsx';
import { LinkRefusal } from './link-refusal.tsx';
import type { LinkPurpose } from './mailed-link.ts';

type Purpose = Exclude<LinkPurpose, 'email_change' | 'opt_out'>;
type Body = { readonly token: string; readonly password: string };

const words = {
  sign_up: {
    title: 'Make your account',
    lead: 'One thing is left: choose the password with which you will sign in.',
    button: 'Make the account',
  },
  invitation: {
    title: 'Accept the invitation',
    lead: 'You become a member of the account that the mail names. Choose the password with which you will sign in.',
    button: 'Become a member',
  },
  password_reset: {
    title: 'Set a new password',
    lead: 'You will be signed out wherever you are signed in, and assistants that you connected are disconnected.',
    button: 'Set the password',
  },
} as const satisfies Record<Purpose, object>;

const send = {
  sign_up: (body: Body) => api.POST('/sign-ups/confirmation', { body }),
  invitation: (body: Body) => api.POST('/members/invitations/confirmation', { body }),
  password_reset: (body: Body) => api.POST('/password-resets/confirmation', { body }),
} as const satisfies Record<Purpose, (body: Body) => Promise<unknown>>;

/** The use of a link with which a password is chosen. */
export function ConfirmWithPassword({
  token,
  purpose,
}: {
  readonly token: string;
  readonly purpose: Purpose;
}) {
  const { register, handleSubmit, formState, setError } = useForm<{ password: string }>();
  const [refusal, setRefusal] = useState<unknown>();
  const { title, lead, button } = words[purpose];
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
    else if (purpose === 'sign_up') startedHere('/', 'Your account is there. Welcome!');
    else startedHere('/', 'You are a member now. Welcome!');
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
