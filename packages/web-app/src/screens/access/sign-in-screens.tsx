import { limits, plans } from '@mailproof/shared-types';
import { getRouteApi, Link, useLocation } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { $api, type Schema } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Button } from '../../design/button.tsx';
import { PasswordInput, TextInput } from '../../design/field.tsx';
import { formatCredits, formatSeconds } from '../../design/format.ts';
import { Failure, Notice } from '../../design/states.tsx';
import { startedHere } from '../../shell/session.ts';
import { AccessPanel, MailSent } from './access-panel.tsx';
import type { SignInReason } from './page-addresses.ts';

const route = getRouteApi('/sign-in');

const sentences = {
  ended: 'Your session has ended. Sign in to continue where you were.',
  signed_out_elsewhere: 'You signed out in another tab. Sign in to continue.',
  password_set: 'Your password has been changed. Sign in with the new one.',
  deleted: 'The account is deleted, and all its users are signed out.',
} as const satisfies Record<SignInReason, string>;

/** Signs a user in and redirects to the requested screen. */
export function SignInScreen() {
  const { next, why } = route.useSearch();
  const { state } = useLocation();
  const { register, handleSubmit } = useForm<Schema['SignIn']>();
  const signIn = $api.useMutation('post', '/session');
  const submit = handleSubmit(body =>
    signIn.mutate(
      { body },
      {
        onSuccess({ user_id }) {
          // Another user's screen is not the destination of this sign-in.
          const isNextTheirs = state.user === undefined || state.user === user_id;
          startedHere((isNextTheirs && next) || '/');
        },
      },
    ),
  );
  return (
    <AccessPanel
      title="Sign in"
      links={
        <>
          <Link to="/forgot-password">Forgot your password?</Link>
          <Link to="/sign-up">Create an account</Link>
        </>
      }
      foot={
        <>
          Want to opt out of people search? <Link to="/opt-out">Opt out</Link>
        </>
      }
    >
      {why && !signIn.isError && (
        <Notice tone={why === 'password_set' || why === 'deleted' ? 'good' : 'neutral'}>
          {sentences[why]}
        </Notice>
      )}
      <form onSubmit={submit}>
        <TextInput
          label="Email address"
          type="email"
          autoComplete="username"
          required
          {...register('email')}
        />
        <PasswordInput label="Password" autoComplete="current-password" required {...register('password')} />
        {signIn.isError && <Refusal error={signIn.error} />}
        <Button type="submit" look="primary" busy={signIn.isPending}>
          Sign in
        </Button>
      </form>
    </AccessPanel>
  );
}

function Refusal({ error }: { readonly error: unknown }) {
  const { code, retryAfterMs } = asProblem(error);
  if (code !== 'signing_in_locked') return <Failure error={error} />;
  return (
    <Notice tone="caution" title="Too many wrong passwords" alert>
      <span>
        Sign-in is locked to protect your account
        {retryAfterMs !== undefined && <> for {formatSeconds(Math.ceil(retryAfterMs / 1_000))}</>}. To sign in
        now, set a new password.
      </span>
      <Link to="/forgot-password">Reset your password</Link>
    </Notice>
  );
}

const { title, creditsPerCycle } = plans.free;

/** Requests an account. The link in the mail that follows verifies the address and lets the user choose a password. */
export function SignUpScreen() {
  const { register, handleSubmit } = useForm<Schema['SignUp']>();
  const ask = $api.useMutation('post', '/sign-ups');
  const submit = handleSubmit(body => ask.mutate({ body }));
  const signInLink = (
    <span>
      Already have an account? <Link to="/sign-in">Sign in</Link>
    </span>
  );
  if (ask.data) {
    return (
      <MailSent to={ask.data.sent_to} onAgain={ask.reset} links={signInLink}>
        Open the link within 24 hours to choose your password.
      </MailSent>
    );
  }
  const isAddressWrong = ask.isError && asProblem(ask.error).code === 'invalid_email_address';
  return (
    <AccessPanel
      title="Create your account"
      lead={`The ${title} plan costs nothing and includes ${formatCredits(creditsPerCycle)} every month.`}
      links={signInLink}
    >
      <form onSubmit={submit}>
        <TextInput
          label="Your email address"
          type="email"
          autoComplete="email"
          hint="You sign in with this address. We email you a link to confirm it."
          error={isAddressWrong ? 'Enter a valid email address.' : undefined}
          required
          {...register('email')}
        />
        <TextInput
          label="Account name"
          autoComplete="organization"
          hint="Your company or team name, as people you invite see it. You can change it later."
          maxLength={limits.accountNameCharactersMax}
          required
          {...register('name')}
        />
        {ask.isError && !isAddressWrong && <Failure error={ask.error} />}
        <Button type="submit" look="primary" busy={ask.isPending}>
          Send link
        </Button>
      </form>
    </AccessPanel>
  );
}

/** Requests a password reset link. Only the mail reveals whether the address belongs to a user. */
export function ForgotPasswordScreen() {
  const { register, handleSubmit } = useForm<Schema['PasswordResetRequest']>();
  const ask = $api.useMutation('post', '/password-resets');
  const submit = handleSubmit(body => ask.mutate({ body }));
  const signInLink = <Link to="/sign-in">Back to sign-in</Link>;
  if (ask.data) {
    return (
      <MailSent to={ask.data.sent_to} onAgain={ask.reset} links={signInLink}>
        If the address belongs to a user, the email contains a link to set a new password. The link works for
        an hour.
      </MailSent>
    );
  }
  return (
    <AccessPanel
      title="Reset your password"
      lead="Enter your sign-in email to get a reset link. Your current password works until you use the link."
      links={signInLink}
    >
      <form onSubmit={submit}>
        <TextInput
          label="Email address"
          type="email"
          autoComplete="username"
          required
          {...register('email')}
        />
        {ask.isError && <Failure error={ask.error} />}
        <Button type="submit" look="primary" busy={ask.isPending}>
          Send link
        </Button>
      </form>
    </AccessPanel>
  );
}
