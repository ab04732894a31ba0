import { Link } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { $api, type Schema } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { TextInput } from '../../design/field.tsx';
import { Failure } from '../../design/states.tsx';
import { AccessPanel } from './access-panel.tsx';
import { MailSent } from './mail-sent.tsx';

/** Asks for a link that sets a new password. Whether the address is a user's is said by the mail alone. */
export function ForgotPasswordScreen() {
  const { register, handleSubmit } = useForm<Schema['PasswordResetRequest']>();
  const ask = $api.useMutation('post', '/password-resets');
  const submit = handleSubmit(body => ask.mutate({ body }));
  const signInLink = <Link to="/sign-in">Back to the sign-in</Link>;
  if (ask.data) {
    return (
      <MailSent to={ask.data.sent_to} onAgain={ask.reset} links={signInLink}>
        If somebody signs in with this address, it has a link that sets a new password. The link works for an
        hour.
      </MailSent>
    );
  }
  return (
    <AccessPanel
      title="Set a new password"
      lead="Say with which address you sign in, and a link comes by mail. Until you use it, the old password goes on working."
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
          Send the link
        </Button>
      </form>
    </AccessPanel>
  );
}
