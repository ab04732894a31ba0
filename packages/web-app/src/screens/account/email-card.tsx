import { useForm } from 'react-hook-form';
import { $api, type Schema } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { TextInput } from '../../design/field.tsx';
import { Card } from '../../design/layout.tsx';
import { PasswordInput } from '../../design/password-input.tsx';
import { Notice } from '../../design/states.tsx';
import styles from './account.module.css';
import { PasswordFailure } from './password-failure.tsx';

/** The address with which whoever looks signs in. */
export function EmailCard() {
  const { email } = useSession();
  const { register, handleSubmit, reset } = useForm<Schema['EmailChangeRequest']>();
  const ask = $api.useMutation('post', '/email-changes');
  const submit = handleSubmit(body => ask.mutate({ body }, { onSuccess: () => reset() }));
  return (
    <Card title="Your email address">
      <p className={styles.soft}>
        You sign in with <strong>{email}</strong>. It changes once you follow the link that is sent to the new
        one.
      </p>
      {ask.data && (
        <Notice tone="good" title="Look into your mail" alert>
          <span>
            A link is on its way to {ask.data.sent_to}. Until you follow it, nothing changes; it works for 24
            hours.
          </span>
        </Notice>
      )}
      <form onSubmit={submit} className={styles.form}>
        <TextInput
          label="New email address"
          type="email"
          autoComplete="email"
          required
          {...register('email')}
        />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          {...register('current_password')}
        />
        {ask.isError && <PasswordFailure error={ask.error} />}
        <Button type="submit" busy={ask.isPending}>
          Send the link
        </Button>
      </form>
    </Card>
  );
}
