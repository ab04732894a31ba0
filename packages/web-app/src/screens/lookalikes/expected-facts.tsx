import { countOf, formatShare } from '../../design/format.ts';
import styles from './lookalikes.module.css';
import type { Expected, Offer } from './offer.ts';
import { bandsOf, outOfHundred } from './strength.ts';
import { ShareBar } from './strength-mark.tsx';

const paidFields = {
  location: 'Location',
  employee_count: 'Employees',
  revenue: 'Revenue',
  funding: 'Funding',
  categories: 'Categories',
  links: 'Links',
} as const satisfies Record<keyof Offer['fill_rate'], string>;

/** What is known of so many companies, counted before anything is paid. */
export function ExpectedFacts({ offer }: { readonly offer: Offer }) {
  return (
    <div className={styles.expected}>
      <h3>What you would get</h3>
      <table className={styles.shares}>
        <caption className="visually-hidden">Share of these companies in which each field is known</caption>
        <tbody>
          {Object.entries(paidFields).map(([field, name]) => {
            const share = offer.fill_rate[field as keyof typeof paidFields];
            return (
              <tr key={field}>
                <th scope="row">{name}</th>
                <td>
                  <ShareBar share={share ?? 0} />
                </td>
                <td>{share === null ? '–' : formatShare(share)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
      <p className={styles.soft}>
        The weakest of them matches at {outOfHundred(offer.weakest_match_strength)} of 100.
        {offer.already_paid > 0 &&
          ` ${countOf(offer.already_paid, 'company', 'companies')} that you have paid for in another search come along free.`}
      </p>
    </div>
  );
}

/** How many matches there are of each strength. */
export function StrengthBands({ expected }: { readonly expected: Expected }) {
  const bands = bandsOf(expected.by_match_strength).filter(({ companies }) => companies > 0);
  const most = Math.max(1, ...bands.map(({ companies }) => companies));
  return (
    <div className={styles.expected}>
      <h3>How strong the matches are</h3>
      <table className={styles.shares}>
        <caption className="visually-hidden">Matches by strength</caption>
        <tbody>
          {bands.map(({ from, to, companies }) => (
            <tr key={from}>
              <th scope="row">
                {outOfHundred(from)}–{outOfHundred(to)}
              </th>
              <td>
                <ShareBar share={companies / most} />
              </td>
              <td>{countOf(companies, 'company', 'companies')}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
