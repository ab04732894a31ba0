/** Mail services that are open to anyone, which the packaged list lacks. */
const mailServices = `
  263.net atomicmail.io autistici.org blu.it buziaczek.pl caramail.fr ciudad.com.ar clix.pt
  countermail.com dir.bg dismail.de disroot.org e.email e1.ru eclipso.ch eclipso.de eclipso.eu
  email.de empal.com etik.com firemail.de games.com gbg.bg giallo.it globo.com globomail.com
  gmx.eu gmx.info gmx.it go2.pl goo.jp hey.com hotmail.com.ar ik.me ikmail.com in.gr infinito.it
  inventati.org keemail.me kolabnow.com lavabit.com love.com mail.kz mail.ua mailbox.org mailo.com
  mailo.fr mailoo.org murena.io myyahoo.com nana.co.il narod.ru net-courrier.com net.hr ngs.ru
  nur.kz ofir.dk one.lt onionmail.org onmail.com passagen.se passport.com pchome.com.tw pobox.com
  pop.com.br purelymail.com quick.cz r7.com riseup.net skiff.com smart-mail.de soverin.net
  spoluzaci.cz startmail.com superig.com.br swissmail.org systemli.org takas.lt tuta.com
  tutamail.com tutanota.com vip.163.com vivaldi.net vtxmail.ch walla.com wow.com ya.com
  yandex.com.tr yandex.fr yandex.uz youmail.dk zaclys.com zohomail.eu zohomail.in
`;

/** Mailboxes that come with internet access, which the packaged list lacks. */
const connectionProviders = `
  012.net.il 9business.fr 9online.fr a1.net absamail.co.za actrix.co.nz adinet.com.uy
  airtelmail.com alice-dsl.net alice.de aliceadsl.fr altibox.no amis.net atlanticbb.net bahnhof.se
  bbox.fr belgacom.net bezeqint.net bredband.net brutele.be bsnl.in btopenworld.com cablelink.at
  cablerocket.com caiway.net caiway.nl cantv.net cegetel.net centurylink.net chello.at chello.hu
  clicknet.ro club-internet.fr cogeco.ca comhem.se consolidated.net cytanet.com.cy digikabel.hu
  distributel.net drei.at eastlink.ca edpnet.be emirates.net.ae entelchile.net etb.net.co eunet.rs
  euskaltel.net ewe.net ewetel.net execulink.com fastwebnet.it fibertel.com.ar forthnet.gr
  get2net.dk glocalnet.net hccnet.nl hinet.net hispeed.ch hkstar.com hol.gr htp-tel.de iafrica.com
  ihug.co.nz inet.hr infinitum.com.mx inode.at insightbb.com inspire.net.nz internet.ru invitel.hu
  jazzfree.com kabelmail.de kabsi.at knology.net kpnplanet.nl lantic.net lillinet.org lineone.net
  liwest.at m-net-online.de madasafish.com magenta.de mail.tele.dk mail.telepac.pt mediacombb.net
  metrocast.net mnet-mail.de mnet-online.de movistar.es ms1.hinet.net mts.net multiweb.nl
  mundo-r.com mweb.co.za nbnet.nb.ca nefkom.net neostrada.pl netcabo.pt netcologne.de netplus.ch
  netvigator.com netvision.net.il nf.sympatico.ca nordnet.fr numericable.fr o2mail.de o2online.de
  oi.com.br onetel.com online.ee ono.com open.telekom.rs optimum.net orange.net orangemail.sk
  orcon.net.nz osnanet.de otenet.gr ozone.net pacific.net.sg paradise.net.nz plus.net plusnet.com
  prodigy.net.mx proximus.be ptt.rs quickline.ch rdslink.ro salzburg.co.at sasktel.net
  saunalahti.fi sbb.rs scarlet.be seed.net.tw simnet.is siol.net slingshot.co.nz snap.net.nz
  solnet.ch spectrum.net speedy.com.ar starhub.net.sg stofanet.dk stonline.sk streamyx.com
  suddenlink.net sunrise.ch supanet.com superonline.com swbmail.de swipnet.se swissonline.ch
  sympatico.ca t-2.net t-com.hr talktalk.net tbaytel.net tdcadsl.dk teksavvy.com tele2.at tele2.se
  telecable.es telemach.net telenor.se teletu.it telia.com telkomsa.net telus.net tesco.net tim.it
  tin.it tiscali.ch tiscali.cz tm.net.my ttmail.com turk.net une.net.co unity-mail.de upcmail.hu
  utanet.at versanet.de vip.hr vivodinet.gr vodafone.co.nz vodafone.de vodafonemail.de
  vodamail.co.za volja.net volny.cz voo.be vsnl.com vsnl.net vtr.net vtxnet.ch webspeed.dk
  welho.com wo.cn wxs.nl xplornet.ca xplornet.com zeelandnet.nl zen.co.uk zoznam.sk
`;

/** Domains whose addresses belong to individuals, not to the company of the domain. */
export const freeMailDomains: readonly string[] = `${mailServices} ${connectionProviders}`
  .trim()
  .split(/\s+/);
