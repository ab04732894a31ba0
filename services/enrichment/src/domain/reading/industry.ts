/** An industry: the value used by filters, its code, and its labels in sources. */
interface Industry {
  readonly name: string;
  /**
   * The NAICS 2022 code, as published by the United States Census Bureau; applies to the name and to labels without
   * their own code.
   */
  readonly naics: string;
  /** Labels other than the name, in lower case; with their own code if the industry's does not apply. */
  readonly labels: readonly { readonly label: string; readonly naics: string }[];
}

/** Labels are separated by vertical bars; `label=code` gives a label its own code. */
function industry(name: string, naics: string, labels = ''): Industry {
  const parted = labels.split('|').filter(label => label !== '');
  return {
    name,
    naics,
    labels: parted.map(text => {
      const [label = '', own = naics] = text.split('=');
      return { label, naics: own };
    }),
  };
}

/**
 * The labels come from the professional networks' list of industries, which People Data Labs uses too, and from the
 * Global Industry Classification Standard, where one label corresponds to one industry.
 */
export const industries: readonly Industry[] = [
  industry('accounting', '5412'),
  industry('aerospace and defense', '3364', 'aviation & aerospace|defense & space|aerospace & defense'),
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
    'entertainment|performing arts|fine art|music=512|museums and institutions|movies & entertainment=512',
  ),
  industry(
    'automotive',
    '3361',
    'automobiles|automobile manufacturers|auto components=3363|automotive parts & equipment=3363',
  ),
  industry(
    'banking',
    '5221',
    'banks|diversified banks|regional banks|investment banking=5231|thrifts & mortgage finance',
  ),
  industry('biotechnology', '541714', 'life sciences tools & services=5417'),
  industry('broadcasting', '516', 'broadcast media|media=51'),
  industry(
    'building materials',
    '327',
    'glass, ceramics & concrete|construction materials|building products',
  ),
  industry('chemicals', '325', 'specialty chemicals|commodity chemicals|diversified chemicals'),
  industry(
    'computer hardware',
    '3341',
    'computer networking=3342|technology hardware, storage & peripherals|communications equipment=3342',
  ),
  industry('construction', '23', 'homebuilding=2361'),
  industry('consulting', '5416', 'management consulting|research & consulting services'),
  industry(
    'consumer goods',
    '31-33',
    'cosmetics=3256|household products=3256|personal products=3256|household durables|leisure products',
  ),
  industry(
    'education',
    '61',
    'education management|higher education|primary/secondary education|e-learning|education services',
  ),
  industry(
    'electronics',
    '334',
    'consumer electronics|electrical/electronic manufacturing=31-33|electrical equipment=335|electronic equipment, instruments & components|electronic components',
  ),
  industry(
    'energy',
    '22',
    'utilities|renewables & environment|electric utilities=2211|multi-utilities|independent power and renewable electricity producers=2211',
  ),
  industry('environmental services', '562', 'waste management'),
  industry(
    'financial services',
    '52',
    'capital markets=523|investment management=5239|venture capital & private equity=5239|diversified financial services|consumer finance=5222|asset management & custody banks=523',
  ),
  industry(
    'food and beverages',
    '31-33',
    'food & beverages|food production=311|wine and spirits=3121|food products=311|beverages=3121|packaged foods & meats=311|tobacco=3122',
  ),
  industry('furniture', '337'),
  industry('gaming', '5132', 'computer games|gambling & casinos=7132|interactive home entertainment'),
  industry(
    'government',
    '92',
    'government administration|public policy|international affairs|legislative office|military|law enforcement|public safety|judiciary|government relations',
  ),
  industry(
    'health care',
    '62',
    'hospital & health care|medical practice|health, wellness and fitness|mental health care|health care providers & services|health care services|health care facilities|alternative medicine',
  ),
  industry(
    'hospitality',
    '72',
    'hotels, restaurants & leisure=72|leisure, travel & tourism|hotels, resorts & cruise lines',
  ),
  industry('human resources', '5613', 'staffing and recruiting|human resource & employment services'),
  industry('insurance', '524', 'life & health insurance|property & casualty insurance|insurance brokers'),
  industry('internet', '519', 'online media|interactive media & services'),
  industry(
    'it services',
    '5415',
    'information technology and services|computer & network security|information services=519|it consulting & other services|internet services & infrastructure=518',
  ),
  industry('legal', '5411', 'law practice|legal services|alternative dispute resolution'),
  industry(
    'logistics',
    '48-49',
    'logistics and supply chain|package/freight delivery=492|warehousing=493|air freight & logistics|transportation infrastructure',
  ),
  industry(
    'machinery',
    '333',
    'mechanical or industrial engineering=5413|industrial automation|industrial machinery',
  ),
  industry(
    'marketing and advertising',
    '5418',
    'marketing & advertising|public relations and communications|market research=54191|advertising',
  ),
  industry('medical devices', '3391', 'health care equipment & supplies|health care equipment'),
  industry('metals and mining', '212', 'mining & metals|metals & mining|steel=331|gold=2122|copper=2122'),
  industry(
    'nonprofit',
    '813',
    'non-profit organization management|nonprofit organization management|philanthropy|civic & social organization|religious institutions|fund-raising|think tanks',
  ),
  industry(
    'oil and gas',
    '211',
    'oil & energy|oil, gas & consumable fuels|energy equipment & services=213|oil & gas exploration & production',
  ),
  industry(
    'paper and packaging',
    '322',
    'paper & forest products|packaging and containers|containers & packaging',
  ),
  industry('pharmaceuticals', '3254'),
  industry('plastics', '326'),
  industry('professional training', '6114', 'professional training & coaching'),
  industry('publishing', '513', 'newspapers=5131|writing and editing|printing=323'),
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
    'supermarkets|internet & direct marketing retail|specialty retail|multiline retail|food & staples retailing|consumer staples distribution & retail|broadline retail',
  ),
  industry('security', '5616', 'security and investigations|security & alarm services'),
  industry('semiconductors', '3344', 'semiconductors & semiconductor equipment'),
  industry('shipping', '483', 'maritime|marine|shipbuilding=3366|marine transportation'),
  industry('software', '5132', 'computer software|application software|systems software'),
  industry('sports', '7112', 'sporting goods=33992'),
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
  industries.flatMap(({ name, naics, labels }) =>
    [{ label: name, naics }, ...labels].flatMap(({ label, naics }) => {
      const found = { industry: name, naics };
      return [[label, found] as const, [keyOf(label), found] as const];
    }),
  ),
);

/** Returns the industry of a source's label; undefined if the label is unknown. Never guesses. */
export function industryOf(label: string): { readonly industry: string; readonly naics: string } | undefined {
  return byLabel.get(label) ?? byLabel.get(keyOf(label));
}

/** `Hospital & Health Care`, `hospital and health care` and `Hospital/Health Care` are the same label. */
function keyOf(label: string): string {
  return label
    .normalize('NFKC')
    .toLowerCase()
    .replace(/&|\band\b/g, ' ')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}
