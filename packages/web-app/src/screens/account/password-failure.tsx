import { asProblem } from '../../api/problem.ts';
import { formatSeconds } from '../../design/format.ts';
import { Failure, Notice } from '../../design/states.tsx';

/** Why something that asks for the password again was not done. */
export function PasswordFailure({ error }: { readonly error: unknown }) {
  const { code, retryAfterMs } = asProblem(error);
  if (code === 'wrong_password') {
    return (
      <Notice tone="bad" title="The current password is wrong" alert>
        <span>
          Nothing has changed. Try again; if you do not know it any more, sign out and set a new one.
        </span>
      </Notice>
    );
  }
  if (code === 'signing_in_locked') {
    return (
      <Notice tone="caution" title="Too many wrong passwords" alert>
        <span>
          Nothing has changed. Try again
          {retryAfterMs === undefined ? ' later' : ` in ${formatSeconds(Math.ceil(retryAfterMs / 1_000))}`}.
        </span>
      </Notice>
    );
  }
  return <Failure error={error} />;
}
