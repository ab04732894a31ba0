import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { asProblem } from '../../api/problem.ts';
import { Failure, Notice } from '../../design/states.tsx';
import type { LinkPurpose } from './mailed-link.ts';

/** Where a new link comes from. */
const again = {
  sign_up: <Link to="/sign-up">Ask for a new mail</Link>,
  password_reset: <Link to="/forgot-password">Ask for a new mail</Link>,
  email_change: <span>Ask for a new mail where you change your address.</span>,
  opt_out: <Link to="/opt-out">Ask for a new mail</Link>,
  invitation: <span>Ask whoever invited you to do it again.</span>,
} as const satisfies Record<LinkPurpose, ReactNode>;

/** Why a link was not taken, and what helps. */
export function LinkRefusal({ error, purpose }: { readonly error: unknown; readonly purpose: LinkPurpose }) {
  const { code } = asProblem(error);
  if (code === 'link_not_valid') {
    return (
      <Notice tone="caution" title="This link does not work any more" alert>
        <span>
          Each link works once, for a limited time, and a newer mail takes the place of an older one.
        </span>
        {again[purpose]}
      </Notice>
    );
  }
  if (code === 'email_taken') {
    return (
      <Notice tone="caution" title="This address belongs to a user already" alert>
        <Link to="/sign-in">Sign in with it</Link>
      </Notice>
    );
  }
  return <Failure error={error} />;
}
