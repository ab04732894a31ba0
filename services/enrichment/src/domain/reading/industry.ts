/** One industry: the word by which people filter, its code, and what sources call it. */
interface Industry {
  readonly name: string;
  /** NAICS 2022, as the United States Census Bureau publishes it; the shortest code that covers the labels. */
  readonly naics: string;
  /** Besides its own name, in lower case, without punctuation. */
  readonly labels: readonly string[];
}

function industry(name: string, naics: string, labels = ''): Industry {
  return { name, naics, labels: labels.split('|').filter(label => label !== '') };
}

/**
 * The labels are those of the professional networks' list of industries, which People Data Labs speaks too, and those of
 * the Global Industry Classification Standard, as far as one word stands for them.
 */
export const industries: readonly Industry[] = [
  industry('accounting', '5412'),
  industry(
    'aerospace and defense',
    '3364',
    'aviation & aerospace|defense & space|aerospace & defense|military',
  ),
  industry(
    'agriculture',
    '11',
    'farming|ranching|dairy|fishery|agricultural products|agricultural products & services',
  ),
  industry('airlines', '481', 'airlines/aviation|passenger airlines'),
  industry(
    'apparel and fashion',
    '315',
    'apparel & fashion|luxury goods & jewelry|textiles, apparel & luxury goods|apparel, accessories & luxury goods|footwear',
  ),
  industry(
    'architecture and engineering',
    '5413',
    'architecture & planning|civil engineering|construction & engineering',
  ),
  industry(
    'arts and entertainment',
    '71',
    'entertainment|performing arts|fine art|music|museums and institutions|movies & entertainment',
  ),
  industry(
    'automotive',
    '3361',
    'automobiles|automobile manufacturers|auto components|automotive parts & equipment',
  ),
  industry(
    'banking',
    '5221',
    'banks|diversified banks|regional banks|investment banking|thrifts & mortgage finance',
  ),
  industry('biotechnology', '3254', 'life sciences tools & services'),
  industry('broadcasting', '516', 'broadcast media|media'),
  industry(
    'building materials',
    '327',
    'glass, ceramics & concrete|construction materials|building products',
  ),
  industry('chemicals', '325', 'specialty chemicals|commodity chemicals|diversified chemicals'),
  industry(
    'computer hardware',
    '3341',
    'computer networking|technology hardware, storage & peripherals|communications equipment',
  ),
  industry('construction', '236', 'homebuilding'),
  industry('consulting', '5416', 'management consulting|research & consulting services'),
  industry(
    'consumer goods',
    '339',
    'cosmetics|household products|personal products|household durables|leisure products',
  ),
  industry(
    'education',
    '61',
    'education management|higher education|primary/secondary education|e-learning|education services|diversified consumer services',
  ),
  industry(
    'electronics',
    '334',
    'consumer electronics|electrical/electronic manufacturing|electrical equipment|electronic equipment, instruments & components|electronic components',
  ),
  industry(
    'energy',
    '2211',
    'utilities|renewables & environment|electric utilities|multi-utilities|independent power and renewable electricity producers',
  ),
  industry('environmental services', '562', 'waste management'),
  industry(
    'financial services',
    '523',
    'capital markets|investment management|venture capital & private equity|diversified financial services|consumer finance|asset management & custody banks',
  ),
  industry(
    'food and beverages',
    '311',
    'food & beverages|food production|wine and spirits|food products|beverages|packaged foods & meats|tobacco',
  ),
  industry('furniture', '337'),
  industry('gaming', '5132', 'computer games|gambling & casinos|interactive home entertainment'),
  industry(
    'government',
    '92',
    'government administration|public policy|international affairs|legislative office|law enforcement|public safety|judiciary|government relations',
  ),
  industry(
    'health care',
    '62',
    'hospital & health care|medical practice|health, wellness and fitness|mental health care|health care providers & services|health care services|health care facilities|alternative medicine',
  ),
  industry(
    'hospitality',
    '721',
    'hotels, restaurants & leisure|leisure, travel & tourism|hotels, resorts & cruise lines',
  ),
  industry('human resources', '5613', 'staffing and recruiting|human resource & employment services'),
  industry('insurance', '524', 'life & health insurance|property & casualty insurance|insurance brokers'),
  industry('internet', '519', 'online media|interactive media & services|internet & direct marketing retail'),
  industry(
    'it services',
    '5415',
    'information technology and services|computer & network security|information services|it consulting & other services|internet services & infrastructure',
  ),
  industry('legal', '5411', 'law practice|legal services|alternative dispute resolution'),
  industry(
    'logistics',
    '488',
    'logistics and supply chain|package/freight delivery|warehousing|air freight & logistics|transportation infrastructure',
  ),
  industry(
    'machinery',
    '333',
    'mechanical or industrial engineering|industrial automation|industrial machinery|industrial conglomerates',
  ),
  industry(
    'marketing and advertising',
    '5418',
    'marketing & advertising|public relations and communications|market research|advertising',
  ),
  industry(
    'medical devices',
    '3391',
    'health care equipment & supplies|health care equipment|health care technology',
  ),
  industry('metals and mining', '212', 'mining & metals|metals & mining|steel|gold|copper'),
  industry(
    'nonprofit',
    '813',
    'non-profit organization management|nonprofit organization management|philanthropy|civic & social organization|religious institutions|fund-raising|think tanks',
  ),
  industry(
    'oil and gas',
    '211',
    'oil & energy|oil, gas & consumable fuels|energy equipment & services|oil & gas exploration & production',
  ),
  industry(
    'paper and packaging',
    '322',
    'paper & forest products|packaging and containers|containers & packaging',
  ),
  industry('pharmaceuticals', '3254'),
  industry('plastics', '326'),
  industry('professional training', '6114', 'professional training & coaching'),
  industry('publishing', '513', 'newspapers|writing and editing|printing'),
  industry(
    'real estate',
    '531',
    'commercial real estate|real estate management & development|equity real estate investment trusts (reits)',
  ),
  industry('research', '5417', 'nanotechnology'),
  industry('restaurants', '722'),
  industry(
    'retail',
    '44-45',
    'supermarkets|specialty retail|multiline retail|food & staples retailing|consumer staples distribution & retail|broadline retail',
  ),
  industry('security', '5616', 'security and investigations|security & alarm services'),
  industry('semiconductors', '3344', 'semiconductors & semiconductor equipment'),
  industry('shipping', '483', 'maritime|marine|shipbuilding|marine transportation'),
  industry('software', '5132', 'computer software|application software|systems software'),
  industry('sports', '7112', 'sporting goods'),
  industry(
    'telecommunications',
    '517',
    'wireless|diversified telecommunication services|wireless telecommunication services',
  ),
  industry('transportation', '48-49', 'transportation/trucking/railroad|road & rail|ground transportation'),
  industry('veterinary', '54194'),
  industry(
    'wholesale',
    '42',
    'import and export|business supplies and equipment|trading companies & distributors|distributors',
  ),
];

const byLabel = new Map(
  industries.flatMap(each =>
    [each.name, ...each.labels].flatMap(label => [[label, each] as const, [keyOf(label), each] as const]),
  ),
);

/** The industry that a source's label stands for; nothing where we do not know. It is never guessed. */
export function industryOf(label: string): { readonly industry: string; readonly naics: string } | undefined {
  const found = byLabel.get(label) ?? byLabel.get(keyOf(label));
  return found && { industry: found.name, naics: found.naics };
}

/** `Hospital & Health Care`, `hospital and health care` and `Hospital/Health Care` are one label. */
function keyOf(label: string): string {
  return label
    .normalize('NFKC')
    .toLowerCase()
    .replace(/&|\band\b/g, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
