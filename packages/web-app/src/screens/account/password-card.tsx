import { useForm } from 'react-hook-form';
import { $api } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/layout.tsx';
import { PasswordInput, PasswordOwner, passwordHint } from '../../design/password-input.tsx';
import { newPasswordFault } from '../../design/password-rules.ts';
import { announce } from '../../design/toasts.tsx';
import styles from './account.module.css';
import { accountChanged } from './changed.ts';
import { PasswordFailure } from './password-failure.tsx';

/** Sets another password. */
export function PasswordCard() {
  const { email } = useSession();
  const { register, handleSubmit, reset, formState } = useForm<{ current: string; next: string }>();
  const change = $api.useMutation('put', '/password');
  const submit = handleSubmit(({ current, next }) =>
    change.mutate(
      { body: { current_password: current, new_password: next } },
      {
        async onSuccess() {
          reset();
          announce('The password is changed. Your other sessions have ended.');
          await accountChanged();
        },
      },
    ),
  );
  const { code, detail, title } = asProblem(change.error);
  const isRefused = change.isError && code === 'password_refused';
  return (
    <Card title="Password">
      <p className={styles.soft}>
        A new one ends every other session of yours, and disconnects assistants that you connected.
      </p>
      <form onSubmit={submit} className={styles.form}>
        <PasswordOwner email={email} />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          {...register('current')}
        />
        <PasswordInput
          label="New password"
          autoComplete="new-password"
          hint={passwordHint}
          error={formState.errors.next?.message ?? (isRefused ? (detail ?? title) : undefined)}
          {...register('next', { validate: newPasswordFault })}
        />
        {change.isError && !isRefused && <PasswordFailure error={change.error} />}
        <Button type="submit" look="primary" busy={change.isPending}>
          Change the password
        </Button>
      </form>
    </Card>
  );
}
