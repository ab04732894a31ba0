import { getRouteApi, Link, useLocation } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { $api, type Schema } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Button } from '../../design/button.tsx';
import { TextInput } from '../../design/field.tsx';
import { formatSeconds } from '../../design/format.ts';
import { PasswordInput } from '../../design/password-input.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { startedHere } from '../../shell/session-changes.ts';
import { AccessPanel } from './access-panel.tsx';
import type { SignInReason } from './routes.tsx';

const route = getRouteApi('/sign-in');

const sentences = {
  ended: 'Your session has ended. Sign in, and go on where you were.',
  signed_out_elsewhere: 'You signed out in another tab. Sign in to go on.',
  password_set: 'The new password is set. Sign in with it.',
  deleted: 'The account is deleted, and everybody in it has been signed out.',
} as const satisfies Record<SignInReason, string>;

/** Signs somebody in, and goes on to where they wanted to go. */
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
          // What another user was looking at is not where this one goes.
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
          <Link to="/sign-up">Make an account</Link>
        </>
      }
      foot={
        <>
          Not a customer, and want to be left out? <Link to="/opt-out">Opt out</Link>
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
        To keep guessers out, signing in is held up
        {retryAfterMs !== undefined && <> for {formatSeconds(Math.ceil(retryAfterMs / 1_000))}</>}. A new
        password lets you in at once.
      </span>
      <Link to="/forgot-password">Set a new password</Link>
    </Notice>
  );
}
