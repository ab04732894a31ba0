import { prices } from '@mailproof/shared-types';
import type { UseFormReturn } from 'react-hook-form';
import { Button } from '../../design/button.tsx';
import { Cost } from '../../design/credits.tsx';
import { TextInput } from '../../design/field.tsx';
import styles from './check.module.css';

export interface AddressForm {
  readonly email: string;
}

interface CheckFormProps {
  readonly form: UseFormReturn<AddressForm>;
  readonly onAsk: (email: string) => void;
  readonly isRunning: boolean;
}

/** The address, and what finding out costs. */
export function CheckForm({ form, onAsk, isRunning }: CheckFormProps) {
  const { register, handleSubmit, formState } = form;
  return (
    <form className={styles.form} onSubmit={handleSubmit(({ email }) => onAsk(email.trim()))} noValidate>
      <div className={styles.ask}>
        <TextInput
          label="Email address"
          // Not `email`: browsers refuse addresses that are right, such as those with letters beyond ASCII.
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
      <Cost max={prices.validation} note="· free where the answer is “unknown”" />
    </form>
  );
}

/** What can be said without asking; the rest says the API. */
function faultOf(email: string): true | string {
  if (email.trim() === '') return 'Enter an address.';
  return email.includes('@') || 'An address has an @ in it.';
}
