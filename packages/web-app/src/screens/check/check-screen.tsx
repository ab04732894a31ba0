import { prices } from '@mailproof/shared-types';
import { LoaderCircle } from 'lucide-react';
import { useState } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import { Badge, ResultBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Cost } from '../../design/credits.tsx';
import { TextInput } from '../../design/field.tsx';
import { Card, Page } from '../../design/layout.tsx';
import { announce } from '../../design/toasts.tsx';
import { sentenceOf } from '../../verdicts/reasons.ts';
import { type AddressCheck, askAbout, clearChecks, useAddressChecks } from './address-checks.ts';
import styles from './check.module.css';
import { CheckOutcome } from './check-outcome.tsx';

/** Checks whether mail to one address will arrive, and explains the result. */
export function CheckScreen() {
  const checks = useAddressChecks();
  const [chosen, setChosen] = useState<string>();
  const form = useForm<AddressForm>({ defaultValues: { email: '' } });
  const shown = checks.find(({ id }) => id === chosen) ?? checks[0];
  function ask(email: string) {
    form.setValue('email', email);
    setChosen(askAbout(email));
  }
  return (
    <Page
      title="Check one address"
      lead="Find out whether mail to an address will arrive, and why. We query the domain’s mail servers; no mail is sent."
    >
      {/* For screen readers: the focus stays in place, because the user may be typing the next address. */}
      <p className="visually-hidden" role="status">
        {shown?.answer && sentenceOf(shown.answer.result, shown.answer.email)}
      </p>
      <div className={styles.columns}>
        <div className={styles.main}>
          <Card>
            <CheckForm form={form} onAsk={ask} isRunning={shown?.state === 'running'} />
          </Card>
          {shown && <CheckOutcome key={shown.id} check={shown} onAsk={ask} />}
        </div>
        <RecentChecks checks={checks} shown={shown?.id} onChoose={setChosen} />
      </div>
    </Page>
  );
}

interface AddressForm {
  readonly email: string;
}

interface CheckFormProps {
  readonly form: UseFormReturn<AddressForm>;
  readonly onAsk: (email: string) => void;
  readonly isRunning: boolean;
}

/** The address field and the price of a check. */
function CheckForm({ form, onAsk, isRunning }: CheckFormProps) {
  const { register, handleSubmit, formState } = form;
  return (
    <form className={styles.form} onSubmit={handleSubmit(({ email }) => onAsk(email.trim()))} noValidate>
      <div className={styles.ask}>
        <TextInput
          label="Email address"
          // Not `email`: browsers refuse some valid addresses, such as those with non-ASCII letters.
          type="text"
          inputMode="email"
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          placeholder="ada@company.com"
          error={formState.errors.email?.message}
          {...register('email', { validate: faultOf })}
        />
        <Button type="submit" look="primary" busy={isRunning}>
          Check
        </Button>
      </div>
      <Cost max={prices.validation} note="· free if the result is “unknown”" />
    </form>
  );
}

/** Validates what the page can check without the API; the API checks the rest. */
function faultOf(email: string): true | string {
  if (email.trim() === '') return 'Enter an email address.';
  return email.includes('@') || 'An email address contains an @.';
}

interface RecentChecksProps {
  readonly checks: readonly AddressCheck[];
  /** The id of the check that is shown. */
  readonly shown: string | undefined;
  readonly onChoose: (id: string) => void;
}

/** The checks of this tab. */
function RecentChecks({ checks, shown, onChoose }: RecentChecksProps) {
  function clear() {
    clearChecks();
    announce('Recent checks cleared.');
  }
  return (
    <Card
      title="Recent checks"
      className={styles.recent}
      actions={
        checks.length > 0 && (
          <Button look="quiet" onClick={clear}>
            Clear<span className="visually-hidden"> recent checks</span>
          </Button>
        )
      }
    >
      {checks.length === 0 ? (
        <p className={styles.small}>
          Addresses that you check appear here until you close the tab or sign out, for a day at most. Only
          this tab stores them.
        </p>
      ) : (
        <ul>
          {checks.map(check => (
            <li key={check.id}>
              <button type="button" aria-current={check.id === shown} onClick={() => onChoose(check.id)}>
                <span className={styles.recentAddress}>{check.email}</span>
                <State check={check} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function State({ check: { state, answer } }: { readonly check: AddressCheck }) {
  if (answer) return <ResultBadge result={answer.result} />;
  if (state === 'running') {
    return (
      <Badge>
        <LoaderCircle size={13} className={styles.turning} aria-hidden /> In progress
      </Badge>
    );
  }
  return (
    <Badge tone={state === 'failed' ? 'caution' : 'neutral'}>
      {state === 'failed' ? 'Failed' : 'Stopped'}
    </Badge>
  );
}
