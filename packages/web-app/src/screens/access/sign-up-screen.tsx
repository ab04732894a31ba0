import { limits, plans } from '@mailproof/shared-types';
import { Link } from '@tanstack/react-router';
import { useForm } from 'react-hook-form';
import { $api, type Schema } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Button } from '../../design/button.tsx';
import { TextInput } from '../../design/field.tsx';
import { formatCredits } from '../../design/format.ts';
import { Failure } from '../../design/states.tsx';
import { AccessPanel } from './access-panel.tsx';
import { MailSent } from './mail-sent.tsx';

const { title, creditsPerCycle } = plans.free;

/** Asks for an account; the mail that follows proves the address, and the password is chosen there. */
export function SignUpScreen() {
  const { register, handleSubmit } = useForm<Schema['SignUp']>();
  const ask = $api.useMutation('post', '/sign-ups');
  const submit = handleSubmit(body => ask.mutate({ body }));
  const signInLink = (
    <span>
      Have an account? <Link to="/sign-in">Sign in</Link>
    </span>
  );
  if (ask.data) {
    return (
      <MailSent to={ask.data.sent_to} onAgain={ask.reset} links={signInLink}>
        Follow its link within 24 hours, and choose your password there.
      </MailSent>
    );
  }
  const isAddressWrong = ask.isError && asProblem(ask.error).code === 'invalid_email_address';
  return (
    <AccessPanel
      title="Make an account"
      lead={`The plan ${title} costs nothing and brings ${formatCredits(creditsPerCycle)} every month.`}
      links={signInLink}
    >
      <form onSubmit={submit}>
        <TextInput
          label="Your email address"
          type="email"
          autoComplete="email"
          hint="You sign in with it; first, a mail makes sure that it is yours."
          error={isAddressWrong ? 'This is not an email address.' : undefined}
          required
          {...register('email')}
        />
        <TextInput
          label="Name of the account"
          autoComplete="organization"
          hint="Your company or team, as people whom you invite will read it. You can change it later."
          maxLength={limits.accountNameCharactersMax}
          required
          {...register('name')}
        />
        {ask.isError && !isAddressWrong && <Failure error={ask.error} />}
        <Button type="submit" look="primary" busy={ask.isPending}>
          Send the mail
        </Button>
      </form>
    </AccessPanel>
  );
}
