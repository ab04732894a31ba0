/** How companies of one industry speak of themselves. */
export interface IndustryPhrases {
  readonly weight: number;
  readonly industry: string;
  readonly label: string;
  readonly naics: string;
  readonly names: readonly [string, ...string[]];
  readonly does: readonly [string, ...string[]];
  readonly products: readonly [string, ...string[]];
  readonly customers: readonly [string, ...string[]];
  readonly keywords: readonly [string, ...string[]];
  /** Dollars of revenue for each employee, in thousands. */
  readonly revenueEach: number;
  /** How likely outside money is. */
  readonly funded: number;
}

type Phrases = readonly [string, ...string[]];

function list(text: string): Phrases {
  return text.split('|') as unknown as Phrases;
}

function phrases(
  [weight, industry, label, naics, revenueEach, funded]: readonly [
    number,
    string,
    string,
    string,
    number,
    number,
  ],
  names: string,
  does: string,
  products: string,
  customers: string,
  keywords: string,
): IndustryPhrases {
  return {
    weight,
    industry,
    label,
    naics,
    revenueEach,
    funded,
    names: list(names),
    does: list(does),
    products: list(products),
    customers: list(customers),
    keywords: list(keywords),
  };
}

export const industryPhrases: readonly [IndustryPhrases, ...IndustryPhrases[]] = [
  phrases(
    [14, 'software', 'Computer Software', '5132', 180, 0.6],
    'Soft|Stack|Cloud|Code|Byte|Logic|Data|Flow',
    'builds|develops and hosts|maintains',
    'workflow automation software|a customer data platform|subscription billing software|an observability platform|scheduling software|an API integration platform|document signing software|a low-code application builder',
    'product teams|finance departments|software companies|mid-sized enterprises|support teams',
    'saas|api|automation|cloud|integrations|analytics|workflow|developer tools|multi-tenant',
  ),
  phrases(
    [8, 'it services', 'Information Technology and Services', '5415', 120, 0.2],
    'Systems|Networks|Tech|Digital|Infra|Cyber',
    'plans, runs and secures|migrates and operates|provides managed services for',
    'cloud infrastructure|corporate networks|security operations centres|data centres|identity management|legacy applications',
    'public bodies|hospitals|banks|manufacturers|mid-sized companies',
    'managed services|cybersecurity|cloud migration|help desk|compliance|penetration testing|networks',
  ),
  phrases(
    [6, 'marketing and advertising', 'Marketing and Advertising', '5418', 110, 0.1],
    'Media|Brand|Creative|Story|Reach',
    'plans and runs|designs|produces',
    'performance campaigns|brand identities|social media programmes|out-of-home advertising|search advertising|influencer campaigns',
    'consumer brands|retailers|software vendors|travel companies|regional businesses',
    'branding|performance marketing|seo|paid media|content|creative|campaigns',
  ),
  phrases(
    [5, 'financial services', 'Financial Services', '52', 260, 0.4],
    'Capital|Wealth|Finance|Partners|Asset',
    'offers|arranges|provides',
    'asset management|invoice financing|payment processing|pension advice|trade finance|lending to small businesses',
    'families|small businesses|institutional investors|exporters|online merchants',
    'payments|investment|lending|risk|portfolio|compliance|wealth management',
  ),
  phrases(
    [3, 'banking', 'Banking', '5221', 300, 0.1],
    'Bank|Trust|Savings|Credit',
    'takes deposits and grants|offers',
    'mortgages and current accounts|business loans|agricultural credit|savings accounts and cards',
    'private clients|local businesses|farmers|home owners',
    'deposits|mortgages|loans|branches|retail banking|cards',
  ),
  phrases(
    [3, 'insurance', 'Insurance', '524', 320, 0.2],
    'Mutual|Cover|Assurance|Shield',
    'underwrites|brokers',
    'property and casualty insurance|life insurance|cyber insurance|marine cargo insurance|health insurance',
    'households|shipping companies|employers|fleet operators',
    'underwriting|claims|policies|actuarial|reinsurance|brokerage',
  ),
  phrases(
    [6, 'health care', 'Hospital & Health Care', '62', 95, 0.2],
    'Health|Care|Clinic|Medical',
    'runs|operates a network of',
    'outpatient clinics|rehabilitation centres|dental practices|home nursing services|diagnostic laboratories|community hospitals',
    'patients and their families|older people|insurers|employers',
    'patients|clinical|nursing|diagnostics|telehealth|rehabilitation|primary care',
  ),
  phrases(
    [3, 'biotechnology', 'Biotechnology', '541714', 150, 0.8],
    'Bio|Gene|Cell|Thera|Helix',
    'discovers and develops|researches|is in clinical trials with',
    'antibody therapies|gene therapies for rare diseases|cell therapies against solid tumours|vaccines|enzymes for industry',
    'patients with rare diseases|oncologists|pharmaceutical partners|research hospitals',
    'clinical trials|oncology|antibodies|genomics|drug discovery|therapeutics|preclinical',
  ),
  phrases(
    [3, 'medical devices', 'Medical Devices', '3391', 210, 0.5],
    'Med|Ortho|Cardio|Vital|Surgical',
    'designs and manufactures|makes',
    'orthopaedic implants|patient monitors|infusion pumps|surgical instruments|hearing aids|imaging equipment',
    'hospitals|surgeons|outpatient clinics|distributors of medical equipment',
    'implants|fda clearance|imaging|surgical|monitoring|sterilisation|medtech',
  ),
  phrases(
    [5, 'construction', 'Construction', '23', 210, 0.02],
    'Build|Construct|Bau|Contractors|Structures',
    'plans and builds|is general contractor for|renovates',
    'office buildings|residential estates|schools and hospitals|bridges and tunnels|warehouses|timber houses',
    'municipalities|property developers|housing associations|industrial companies',
    'general contracting|concrete|renovation|site management|timber|infrastructure|bim',
  ),
  phrases(
    [4, 'real estate', 'Real Estate', '531', 250, 0.1],
    'Estates|Property|Homes|Living|Realty',
    'develops and lets|brokers|manages',
    'apartment buildings|logistics parks|office space|student housing|shopping centres',
    'tenants|investors|companies that look for offices|families',
    'leasing|property management|residential|commercial|brokerage|development',
  ),
  phrases(
    [5, 'machinery', 'Machinery', '333', 230, 0.05],
    'Machines|Works|Industries|Robotics|Tools',
    'designs and manufactures|builds|engineers',
    'packaging machines|machine tools|conveyor systems|industrial robots|pumps and valves|woodworking machines',
    'food producers|car makers|foundries|logistics centres|sawmills',
    'automation|cnc|spare parts|robotics|hydraulics|mechanical engineering|maintenance',
  ),
  phrases(
    [3, 'electronics', 'Electrical/Electronic Manufacturing', '31-33', 220, 0.2],
    'Electronics|Circuit|Sensor|Power|Signal',
    'develops and produces|assembles',
    'printed circuit boards|industrial sensors|power supplies|connectors|battery management systems',
    'machine builders|car suppliers|railway operators|makers of medical devices',
    'pcb|sensors|embedded|power electronics|batteries|electronics manufacturing',
  ),
  phrases(
    [3, 'automotive', 'Automotive', '3361', 290, 0.15],
    'Motors|Auto|Drive|Mobility',
    'supplies|manufactures|develops',
    'brake systems|electric drivetrains|seat systems|wiring harnesses|charging equipment|light commercial vehicles',
    'vehicle manufacturers|workshops|fleet operators|dealers',
    'electric vehicles|powertrain|tier one supplier|aftermarket|chassis|charging',
  ),
  phrases(
    [3, 'energy', 'Renewables & Environment', '22', 340, 0.4],
    'Energy|Solar|Wind|Grid|Power',
    'plans and operates|develops|supplies',
    'solar parks|onshore wind farms|battery storage|district heating|green hydrogen plants|heat pumps',
    'municipal utilities|industrial consumers|home owners|grid operators',
    'solar|wind|storage|renewables|grid|hydrogen|power purchase agreements',
  ),
  phrases(
    [4, 'logistics', 'Logistics and Supply Chain', '48-49', 160, 0.15],
    'Logistics|Freight|Cargo|Express|Supply',
    'organises|operates|handles',
    'road freight|cold chain transport|warehousing and order picking|sea and air freight|parcel delivery|customs clearance',
    'online retailers|food producers|exporters|pharmaceutical companies',
    'freight forwarding|warehousing|last mile|customs|cold chain|fleet|3pl',
  ),
  phrases(
    [5, 'retail', 'Retail', '44-45', 200, 0.2],
    'Store|Market|Shop|Goods|Outfitters',
    'sells|runs shops and an online store for',
    'organic groceries|furniture and home accessories|outdoor clothing|books and stationery|consumer electronics|pet supplies',
    'families|hikers and climbers|city dwellers|pet owners|students',
    'e-commerce|stores|loyalty programme|private label|omnichannel|merchandising',
  ),
  phrases(
    [4, 'food and beverages', 'Food & Beverages', '31-33', 240, 0.15],
    'Foods|Kitchen|Bakery|Brewing|Farms',
    'produces|bakes and delivers|bottles',
    'plant-based meals|dairy products|bread and pastries|craft beer|fruit juices|frozen vegetables|coffee',
    'supermarkets|restaurants|canteens|wholesalers|households',
    'organic|food safety|private label|plant-based|bottling|ingredients|dairy',
  ),
  phrases(
    [3, 'hospitality', 'Hospitality', '72', 80, 0.05],
    'Hotels|Resort|Lodge|Stay|Hospitality',
    'runs|manages',
    'city hotels|mountain lodges|serviced apartments|conference hotels|camping sites',
    'business travellers|families on holiday|tour operators|event organisers',
    'hotels|events|bookings|guest experience|wellness|conference',
  ),
  phrases(
    [4, 'education', 'E-Learning', '61', 90, 0.4],
    'Academy|Learning|School|Campus|Tutor',
    'offers|develops|teaches with',
    'online courses in data science|language courses|a learning management system|vocational training|exam preparation|coding bootcamps',
    'schools and universities|employers|adult learners|pupils',
    'e-learning|courses|curriculum|certification|training|students|lms',
  ),
  phrases(
    [5, 'consulting', 'Management Consulting', '5416', 170, 0.03],
    'Consulting|Advisory|Strategy|Insight',
    'advises on|supports companies with',
    'business strategy|restructuring|mergers and their integration|sustainability reporting|supply chain planning|digital transformation',
    'family-owned companies|boards|private equity funds|public administrations',
    'strategy|transformation|due diligence|change management|operations|sustainability',
  ),
  phrases(
    [3, 'legal', 'Law Practice', '5411', 190, 0.01],
    'Law|Legal|Counsel|Chambers',
    'advises on|represents clients in',
    'employment law|patent disputes|mergers and acquisitions|immigration law|tax law|data protection',
    'employers|inventors|start-ups|private clients',
    'litigation|contracts|intellectual property|compliance|arbitration|corporate law',
  ),
  phrases(
    [3, 'chemicals', 'Chemicals', '325', 380, 0.05],
    'Chem|Polymers|Coatings|Materials',
    'produces|formulates|develops',
    'industrial coatings|adhesives|cleaning agents|fertilisers|speciality polymers|pigments',
    'car makers|packaging companies|farmers|the construction industry',
    'coatings|polymers|adhesives|formulation|speciality chemicals|reach',
  ),
  phrases(
    [2, 'agriculture', 'Farming', '11', 180, 0.2],
    'Farm|Agro|Harvest|Orchard|Seed',
    'grows and sells|breeds|supplies',
    'cereals and oilseeds|apples and berries|greenhouse vegetables|seeds|precision farming equipment',
    'food processors|farmers|wholesale markets|supermarkets',
    'crops|irrigation|precision farming|seeds|harvest|greenhouse',
  ),
  phrases(
    [3, 'telecommunications', 'Telecommunications', '517', 310, 0.2],
    'Telecom|Fibre|Connect|Mobile|Link',
    'builds and operates|offers',
    'fibre networks|mobile virtual network services|satellite links|cloud telephony|rural broadband',
    'households|business parks|carriers|shipping companies',
    'fibre|broadband|voip|5g|network operations|wholesale|satellite',
  ),
  phrases(
    [3, 'human resources', 'Staffing and Recruiting', '5613', 130, 0.15],
    'Talent|Staffing|People|Recruit',
    'recruits|places and trains|provides',
    'nurses and carers|software engineers|temporary staff|executives|skilled tradespeople|payroll services',
    'hospitals|technology companies|logistics centres|family-owned companies',
    'recruiting|staffing|payroll|executive search|temporary work|employer branding',
  ),
  phrases(
    [2, 'nonprofit', 'Non-Profit Organization Management', '813', 60, 0.01],
    'Foundation|Trust|Alliance|Aid',
    'supports|campaigns for|funds',
    'clean drinking water|literacy programmes|the protection of forests|refugees|open science',
    'communities|schools|researchers|donors',
    'fundraising|volunteers|grants|advocacy|community|programmes',
  ),
  phrases(
    [2, 'gaming', 'Computer Games', '5132', 200, 0.5],
    'Games|Play|Pixel|Quest|Arcade',
    'develops and publishes|makes',
    'strategy games|mobile puzzle games|role-playing games|racing simulations|tools for game developers',
    'players on phones|players on consoles|other studios',
    'game development|unity|multiplayer|mobile games|live operations|esports',
  ),
];
