/** The sign of the product. */
export function Mark({ size = 26 }: { readonly size?: number }) {
  return <img src={`${import.meta.env.BASE_URL}mark.svg`} width={size} height={size} alt="" />;
}
