import {
  limits,
  type OperationInput,
  type OperationResult,
  type requestDoNotProbe,
} from '@mailproof/shared-types';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useForm } from 'react-hook-form';
import { $api, type Schema } from '../../api/client.ts';
import { asProblem, type ProblemCode, problemOf } from '../../api/problem.ts';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Select, TextInput } from '../../design/field.tsx';
import { Facts, Row } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { TabLink, TabLinks } from '../../design/tabs.tsx';
import { AccessPanel, MailSent } from '../access/access-panel.tsx';
import styles from './opt-out-screens.module.css';

type Field = keyof Schema['OptOut'];

/** The refusals that concern one of the fields, worded for people who do not know the API. */
const faults: Partial<Record<ProblemCode, readonly [Field, string]>> = {
  invalid_profile_url: ['profile_url', 'Enter the URL of a person’s profile, such as linkedin.com/in/name.'],
  profile_of_an_organisation: [
    'profile_url',
    'This is a company profile. Company data is not personal data, so companies cannot opt out.',
  ],
  invalid_email_address: ['email', 'Enter a valid email address.'],
};

/** The opt-out form for people who are not customers. */
export function OptOutScreen() {
  const { register, handleSubmit } = useForm<Schema['OptOut']>();
  const ask = $api.useMutation('post', '/opt-outs');
  const submit = handleSubmit(body => ask.mutate({ body }));
  if (ask.data) {
    return (
      <MailSent to={ask.data.sent_to} onAgain={ask.reset}>
        Follow its link within 24 hours to delete your data. We delete your email address once the email is
        sent.
      </MailSent>
    );
  }
  const [field, sentence] = faults[asProblem(ask.error).code ?? 'internal_error'] ?? [];
  return (
    <OptOutPanel
      title="Opt out"
      lead="Mailproof’s customers search for people by job and company. If you do not want to be found, you can opt out without an account and without giving a reason."
    >
      <ol className={styles.steps}>
        <li>Enter your profile URL and an email address.</li>
        <li>We send one email with a confirmation link.</li>
        <li>
          Follow the link: all data about you is deleted immediately from every customer’s account and not
          stored again.
        </li>
      </ol>
      <form onSubmit={submit}>
        <TextInput
          label="Profile URL"
          placeholder="linkedin.com/in/your-name"
          inputMode="url"
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          maxLength={limits.profileUrlCharactersMax}
          hint="Open your own profile and copy the URL from the address bar. It identifies you exactly."
          error={field === 'profile_url' ? sentence : undefined}
          required
          {...register('profile_url')}
        />
        <TextInput
          label="Email address"
          type="email"
          autoComplete="email"
          hint="Only for the confirmation link. You can use any address that you can read."
          error={field === 'email' ? sentence : undefined}
          required
          {...register('email')}
        />
        {ask.isError && !field && <Failure error={ask.error} />}
        <Button type="submit" look="primary" busy={ask.isPending}>
          Send link
        </Button>
      </form>
      <p className={styles.small}>
        You get the same response whether or not we have data about you. To keep your data out, we store only
        a keyed hash of your profile URL, which does not reveal your name.
      </p>
    </OptOutPanel>
  );
}

/** The form with which the operator of a domain or mail host requests not to be probed, and proves control of it. */
export function DoNotProbeScreen() {
  const { register, handleSubmit } = useForm<DoNotProbeBody>({ defaultValues: { scope: 'domain' } });
  const ask = useMutation({ mutationFn: askDoNotProbe });
  // Kept during another check of the same name; discarded when the name changes.
  const [answer, setAnswer] = useState<DoNotProbeAnswer>();
  const onChange = () => setAnswer(undefined);
  const submit = handleSubmit(wish => ask.mutate(wish, { onSuccess: setAnswer }));
  const isNameWrong = ask.isError && asProblem(ask.error).code === 'invalid_request';
  return (
    <OptOutPanel
      title="Exclude my mail host from probing"
      lead="To find out whether an address exists, Mailproof may query its mail host. If you run that host or domain, you can opt out: addresses there then get the result “unknown”."
    >
      <form onSubmit={submit}>
        <Select label="What do you run?" {...register('scope', { onChange })}>
          <option value="domain">A domain, with its subdomains</option>
          <option value="mail_host">A mail host, with every domain that uses it</option>
        </Select>
        <TextInput
          label="Name"
          placeholder="company.example"
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          maxLength={limits.domainOctetsMax}
          error={isNameWrong ? 'Enter a valid domain or host name.' : undefined}
          required
          {...register('name', { onChange })}
        />
        {ask.isError && !isNameWrong && <Failure error={ask.error} />}
        {answer && <Proof answer={answer} />}
        {answer?.state !== 'listed' && (
          <Button type="submit" look="primary" busy={ask.isPending}>
            {answer ? 'Check the record' : 'Continue'}
          </Button>
        )}
      </form>
    </OptOutPanel>
  );
}

const looks = {
  absent: 'The record was not found. A new record can take a few minutes to appear.',
  different: 'The record has a different value.',
  dns_failure: 'The DNS lookup failed. Try again in a minute.',
  seen: '',
} as const satisfies Record<DoNotProbeAnswer['proof'], string>;

function Proof({ answer }: { readonly answer: DoNotProbeAnswer }) {
  const { name, state, txt_name: at, txt_value: text, proof } = answer;
  if (state === 'listed') {
    return (
      <Notice tone="good" title={`${name} will no longer be probed`} alert>
        <span>You can remove the record.</span>
      </Notice>
    );
  }
  return (
    <>
      <p>
        To prove that you control <strong>{name}</strong>, publish this TXT record in its zone:
      </p>
      <div className={styles.record}>
        <Facts
          facts={[
            ['Name', <code key="name">{at}</code>],
            ['Type', 'TXT'],
            ['Value', <code key="value">{text}</code>],
          ]}
        />
        <Row>
          <CopyButton text={at} what="Record name">
            Copy the name
          </CopyButton>
          <CopyButton text={text} what="Record value">
            Copy the value
          </CopyButton>
        </Row>
      </div>
      <Notice tone="neutral" alert>
        {looks[proof]}
      </Notice>
    </>
  );
}

type DoNotProbeBody = OperationInput<typeof requestDoNotProbe>['body'];
type DoNotProbeAnswer = OperationResult<typeof requestDoNotProbe>;

const answerMsMax = 60_000;

/** Requests that a domain or mail host is not probed. This is an operation of the public API that needs no key. */
async function askDoNotProbe(wish: DoNotProbeBody): Promise<DoNotProbeAnswer> {
  const response = await fetch('/api/v1/do-not-probe-requests', {
    signal: AbortSignal.timeout(answerMsMax),
    method: 'POST',
    credentials: 'omit',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(wish),
  });
  if (!response.ok) throw await problemOf(response);
  return (await response.json()) as DoNotProbeAnswer;
}

interface OptOutPanelProps {
  readonly title: string;
  readonly lead: ReactNode;
  readonly children: ReactNode;
}

/** The panel of both opt-out forms: for a person, and for the operator of a domain. */
function OptOutPanel({ title, lead, children }: OptOutPanelProps) {
  return (
    <AccessPanel
      title={title}
      lead={lead}
      isWide
      foot={
        <>
          A customer? <Link to="/sign-in">Sign in</Link>
        </>
      }
    >
      <TabLinks name="Who are you?">
        <TabLink to="/opt-out" activeOptions={{ exact: true }}>
          I am a person
        </TabLink>
        <TabLink to="/opt-out/domain">I run a domain or a mail host</TabLink>
      </TabLinks>
      {children}
    </AccessPanel>
  );
}
