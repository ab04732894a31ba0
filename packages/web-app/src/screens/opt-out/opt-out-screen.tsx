import { limits } from '@mailproof/shared-types';
import { useForm } from 'react-hook-form';
import { $api, type Schema } from '../../api/client.ts';
import { asProblem, type ProblemCode } from '../../api/problem.ts';
import { Button } from '../../design/button.tsx';
import { TextInput } from '../../design/field.tsx';
import { Failure } from '../../design/states.tsx';
import { MailSent } from '../access/mail-sent.tsx';
import styles from './opt-out.module.css';
import { OptOutPanel } from './opt-out-panel.tsx';

type Field = keyof Schema['OptOut'];

/** Refusals that are about one of the fields, in words for people who know nothing of the API. */
const faults: Partial<Record<ProblemCode, readonly [Field, string]>> = {
  invalid_profile_url: [
    'profile_url',
    'This is not the address of a person’s profile. It looks like linkedin.com/in/name.',
  ],
  profile_of_an_organisation: [
    'profile_url',
    'This profile is a company’s. What is kept of companies is no personal data, so they cannot be left out.',
  ],
  invalid_email_address: ['email', 'This is not an email address.'],
};

/** Where somebody who is no customer asks to be left out. */
export function OptOutScreen() {
  const { register, handleSubmit } = useForm<Schema['OptOut']>();
  const ask = $api.useMutation('post', '/opt-outs');
  const submit = handleSubmit(body => ask.mutate({ body }));
  if (ask.data) {
    return (
      <MailSent to={ask.data.sent_to} onAgain={ask.reset}>
        Follow its link within 24 hours: only then is anything deleted. Your address is forgotten with the
        mail.
      </MailSent>
    );
  }
  const [field, sentence] = faults[asProblem(ask.error).code ?? 'internal_error'] ?? [];
  return (
    <OptOutPanel
      title="Be left out"
      lead="Customers of Mailproof look for people by their work. If you do not want to be found here, say so: you need no account, and nobody asks why."
    >
      <ol className={styles.steps}>
        <li>You tell us which profile is yours, and an address for one mail.</li>
        <li>The mail has a link. It makes sure that somebody means it, and not a program.</li>
        <li>
          When you follow it, what is kept of you is deleted at once, in every customer’s account too, and you
          are kept out from then on.
        </li>
      </ol>
      <form onSubmit={submit}>
        <TextInput
          label="Address of your profile"
          placeholder="linkedin.com/in/your-name"
          inputMode="url"
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          maxLength={limits.profileUrlCharactersMax}
          hint="Open your own profile, and copy what stands in the browser’s address line. By it we find the one right person."
          error={field === 'profile_url' ? sentence : undefined}
          required
          {...register('profile_url')}
        />
        <TextInput
          label="Email address"
          type="email"
          autoComplete="email"
          hint="For the mail with the link, and nothing else. Any address that you can read will do."
          error={field === 'email' ? sentence : undefined}
          required
          {...register('email')}
        />
        {ask.isError && !field && <Failure error={ask.error} />}
        <Button type="submit" look="primary" busy={ask.isPending}>
          Send me the link
        </Button>
      </form>
      <p className={styles.small}>
        You get the same answer whether anything is known of you or not. What stays is a keyed hash of your
        profile, by which you are kept out; nobody can read your name from it.
      </p>
    </OptOutPanel>
  );
}
