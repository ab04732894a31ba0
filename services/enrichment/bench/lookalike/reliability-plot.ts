import type { ReliabilityBand } from './measures.ts';

const size = 360;
const margin = 48;
const side = size - margin - 16;

/** A reliability plot as SVG: predictions on one axis, outcomes on the other. */
export function reliabilityPlot(bands: readonly ReliabilityBand[]): string {
  const x = (value: number) => (margin + value * side).toFixed(1);
  const y = (value: number) => (16 + (1 - value) * side).toFixed(1);
  const countMax = Math.max(...bands.map(({ count }) => count));
  const ticks = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const said = bands
    .map(({ strength, relevantShare }) => `${strength.toFixed(2)} said, ${relevantShare.toFixed(2)} seen`)
    .join('; ');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}" role="img" aria-labelledby="title desc" font-family="sans-serif" font-size="12">
<title id="title">Reliability of match strengths in industries left out of the fit</title>
<desc id="desc">${said}.</desc>
<rect width="${size}" height="${size}" fill="#ffffff"/>
${ticks
  .map(
    tick =>
      `<path d="M${x(tick)} ${y(0)}V${y(1)}M${x(0)} ${y(tick)}H${x(1)}" stroke="#dddddd"/><text x="${x(tick)}" y="${size - 26}" text-anchor="middle">${tick}</text><text x="${margin - 8}" y="${Number(y(tick)) + 4}" text-anchor="end">${tick}</text>`,
  )
  .join('\n')}
<path d="M${x(0)} ${y(0)}L${x(1)} ${y(1)}" stroke="#777777" stroke-dasharray="4 4"/>
<path d="M${bands.map(({ strength, relevantShare }) => `${x(strength)} ${y(relevantShare)}`).join('L')}" fill="none" stroke="#0b5cad" stroke-width="2"/>
${bands
  .map(
    ({ strength, relevantShare, count }) =>
      `<circle cx="${x(strength)}" cy="${y(relevantShare)}" r="${(3 + 6 * Math.sqrt(count / countMax)).toFixed(1)}" fill="#0b5cad"/>`,
  )
  .join('\n')}
<text x="${x(0.5)}" y="${size - 8}" text-anchor="middle">strength that was said</text>
<text x="14" y="${y(0.5)}" text-anchor="middle" transform="rotate(-90 14 ${y(0.5)})">share of the seed’s industry</text>
</svg>
`;
}
