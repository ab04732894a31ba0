import type { ReplyRule } from './reply-rule.ts';

/** The words of one language, in lower case and without accents on Latin letters. */
interface Language {
  /** Nouns for a mailbox or its owner. */
  readonly mailbox: string;
  /** Says after the noun that it does not exist, even with a few words between them. */
  readonly missing: string;
  /** The same directly after the noun: these words also qualify many other things. */
  readonly invalid: string;
  /** The same before the noun, or as a sentence in which the noun comes later. */
  readonly noSuch: string;
  /** Says after the noun that it is permanently out of use. */
  readonly disabled: string;
  /** Words that may stand between the noun and `disabled`. */
  readonly is: string;
  /** Possessives before the noun that make it the client's own. */
  readonly your?: string;
}

const latin: Readonly<Record<string, Language>> = {
  german: {
    mailbox:
      'benutzer(?:konto|name)?|nutzer|teilnehmer|empfae?nger(?:adresse)?|adressat|postfach|mailbox|(?:e-?mail-?|mail-?)?(?:konto|account|adresse)',
    missing:
      'unbekannt|nicht (?:bekannt|gefunden|vorhanden)|existiert (?:hier )?nicht|gibt es (?:hier )?nicht|nicht mehr bei uns',
    invalid: 'ungue?ltig|nicht (?:mehr )?(?:gue?ltig|bekannt)',
    noSuch:
      '(?:unbekannte[rs]?|ungue?ltige[rs]?|keine? solche[rs]?) (?:benutzer|nutzer|teilnehmer|empfae?nger(?:adresse)?|adressat|postfach|konto|e-?mail-adresse)|keine?n? (?:benutzer|postfach|konto|empfae?nger) (?:(?:mit diesem|unter diesem|dieses) namen?|unter dieser adresse)|niemand unter dieser adresse bekannt|(?<=^(?:(?:d(?:er|ie|as)|diese[rs]?) )?)(?:benutzer(?:konto)?|empfae?nger(?:adresse)?|postfach|konto|(?:e-?mail-?)?adresse) (?:(?:ist|wurde) )?(?:(?:hier|bei uns|auf diesem server) )?nicht eingerichtet',
    disabled:
      'deaktiviert|geschlossen|gelo(?:e)?scht|stillgelegt|geku(?:e)?ndigt|abgelaufen|abgeschaltet|inaktiv|nicht (?:mehr )?aktiv|gesperrt',
    is: 'ist|wurde|bereits|inzwischen|dauerhaft',
    your: 'ihre?|deine?',
  },
  french: {
    mailbox:
      "utilisateur|destinataire|abonne|correspondant|boite(?: aux lettres| mail| e-?mail)?|adresse(?: (?:e-?mail|mail|electronique|de messagerie|(?:du )?destinataire|d'? ?au moins un destinataire))?|compte(?: (?:e-?mail|de messagerie|utilisateur|du destinataire))?",
    missing: "inconnue?\\b|inexistante?\\b|n'existe (?:pas|plus)|introuvable|non trouvee?\\b",
    invalid: 'non (?:valide|reconnue?)\\b|invalide|(?:pas|plus) valide',
    noSuch:
      "(?:aucune?|pas d[e']) ?(?:utilisateur|destinataire|compte|boite(?: aux lettres)?|adresse) (?:(?:de|a|avec|portant) ce nom|(?:ne correspond )?a cette adresse|ne correspond a ce nom)",
    disabled:
      'desactivee?\\b|suspendue?\\b|fermee?\\b|supprimee?\\b|resiliee?\\b|expiree?\\b|inacti(?:f|ve)\\b|archivee?\\b|bloquee? pour inactivite|plus (?:active?|actif|utilisee?)\\b',
    is: "est|a|ete|n'est",
    your: 'votre|ton|vos',
  },
  italian: {
    mailbox:
      'utente|destinatario|destin\\.|casella(?: (?:postale|di posta(?: elettronica)?|e-?mail|del destinatario))?|indirizzo(?: (?:e-?mail|di posta(?: elettronica)?|(?:del )?destinatario))?|(?:account|mailbox)(?: del destinatario)?',
    // Aruba's "sconosciuto o non abilitato" also turns known ones away from ordinary mail.
    missing:
      "sconosciut[oa]\\b(?! o non abilitat)|non esiste|inesistente|non (?:e'? stat[oa] )?(?:trovat[oa]|presente)\\b",
    invalid: "errat[oa]\\b|non (?:e'? )?(?:piu )?(?:valid[oa]|riconosciut[oa])\\b",
    noSuch:
      "nessun utente (?:simile|trovato)|nessun[oa]? (?:utente|casella|destinatario|account|indirizzo) con questo nome|non esiste (?:nessuna?|alcuna?|l'|una?|la) ?(?:utente|casella|destinatario|indirizzo)|riuscito a trovare l'indirizzo",
    disabled:
      'disat+ivat[oa]\\b|disabilitat[oa]\\b|sospes[oa]\\b|chius[oa]\\b|cancellat[oa]\\b|eliminat[oa]\\b|scadut[oa]\\b|dismess[oa]\\b|inattiv[oa]\\b|non (?:piu )?attiv[oa]\\b|bloccat[oa] per inutilizzo',
    is: "e'?|stat[oa]|risulta",
    your: 'suo|sua|tuo|tua|vostr[oa]',
  },
  spanish: {
    mailbox:
      'usuari[oa]|destinatari[oa]|buzon(?: de correo)?|casilla(?: de correo)?|cuenta(?: de (?:correo(?: electronico)?|e-?mail|usuario))?|direccion(?: (?:de correo(?: electronico)?|e-?mail|de destino|del destinatario))?',
    missing:
      'no existe|inexistente|desconocid[oa]\\b|no (?:ha sido |fue )?encontrad[oa]\\b|no (?:esta )?registrad[oa]\\b|no tiene (?:una )?cuenta|no se encuentra en el directorio',
    invalid: 'no (?:es )?valid[oa]\\b|invalid[oa]\\b|incorrect[oa]\\b',
    noSuch:
      'no existe (?:el|la|dicha|ese|esa|un|ningun) (?:usuario|persona|cuenta|buzon|destinatario|direccion)|no (?:hay|tenemos) (?:ningun |ninguna |un |una |ese |este |esa |esta |tal )?(?:usuario|buzon|cuenta|destinatario)(?: con (?:ese|este) nombre)?$|nadie con esta direcci',
    disabled:
      'desactivad[oa]\\b|deshabilitad[oa]\\b|suspendid[oa]\\b|cancelad[oa]\\b|cerrad[oa]\\b|eliminad[oa]\\b|dad[oa] de baja|inactiv[oa]\\b|caducad[oa]\\b|(?:ha )?expirado por falta de uso|bloquead[oa] por inactividad',
    is: 'es|esta|ha|sido|fue|en estado:',
    your: 'su|tu|vuestr[oa]',
  },
  portuguese: {
    mailbox:
      'usuari[oa]|utilizador|destinatari[oa]|caixa (?:postal|de correio|de e-?mail)|conta(?: de e-?mail)?|endereco(?: (?:de e-?mail|eletronico|de destino|do destinatario))?',
    missing:
      'nao (?:foi )?(?:exist|encontrad[oa]|localizad[oa]|cadastrad[oa])|inexistente|desconhecid[oa]\\b',
    invalid: 'nao (?:e )?valid[oa]\\b|invalid[oa]\\b',
    noSuch:
      '(?:nao (?:existe|ha)|nenhuma?) (?:o |a |este |uma? |nenhuma? )?(?:usuario|utilizador|destinatario|conta|caixa postal) com (?:este|esse) nome',
    disabled:
      'desativad[oa]\\b|desabilitad[oa]\\b|suspens[oa]\\b|cancelad[oa]\\b|encerrad[oa]\\b|excluid[oa]\\b|removid[oa]\\b|inativ[oa]\\b|expirad[oa]\\b|bloquead[oa] por inatividade',
    is: 'e|esta|foi',
    your: 'sua|seu|tua|teu',
  },
  polish: {
    mailbox: 'konto|uzytkownik|adres(?:at)?(?: e-?mail| odbiorcy)?|skrzynka(?: pocztowa| odbiorcy)?|odbiorca',
    missing: 'nie istnieje|nieaktualn[yea]\\b|nieznan[yea]\\b|nie (?:zosta[lł][oa]? )?znalezion[yoa]',
    invalid: 'nieprawid[lł]ow[yae]\\b',
    noSuch:
      '(?:nie m(?:a|amy)|brak) takie(?:go|j) (?:konta|uzytkownika|adresu|adresata|odbiorcy|skrzynki)|(?:nie ma|brak) (?:konta|uzytkownika|skrzynki) o (?:tej|takiej) nazwie|nieznany (?:uzytkownik|adresat|odbiorca)',
    disabled:
      'usuniet[eay]\\b|zablokowan[aey] (?:administracyjnie|lub usuniet[aey])|nieaktywn[aey]\\b|wy[lł]aczon[aey]\\b|zawieszon[aey]\\b|zamkniet[aey]\\b|dezaktywowan[aey]\\b',
    is: 'jest|juz|zosta[lł][oa]?',
    your: 'twoj[ae]?|panstwa',
  },
  czechAndSlovak: {
    mailbox:
      '(?:po)?uzivatel(?:sk[ye] (?:ucet|konto))?|adresat|(?:postovni |e-?mailova )?schranka|prijemc[ea]|ucet|(?:e-?mailova )?adresa',
    missing: 'neexistuj[eu]|neznam[yae]\\b|ne(?:byl[ao]? )?(?:nalezen|najden)',
    invalid: 'neplatn[yae]\\b',
    noSuch: '(?:neznam[yae]|neexistujici|neplatn[ya]) (?:(?:po)?uzivatel|prijemc[ea]|adresat|schranka)',
    disabled: 'zrusen[aoy]?\\b|deaktivovan[aoy]?\\b|smazan[aoy]?\\b|pozastaven[aoy]?\\b|neaktivn[iy]\\b',
    is: 'je|jiz|uz|byl[ao]?',
    your: 'vase?|tvoje',
  },
  dutch: {
    mailbox: 'gebruiker|mailbox|postvak|postbus|(?:e-?mail-?)?(?:adres|account)|geadresseerde|ontvanger',
    missing: 'onbekend|bestaat (?:hier )?niet|niet gevonden',
    invalid: 'ongeldig|niet (?:meer )?(?:bekend|geldig)',
    noSuch:
      '(?:onbekende|ongeldige|geen) (?:gebruiker|ontvanger|geadresseerde|mailbox|postbus|postvak)(?: met d(?:eze|ie) naam)?$',
    disabled:
      'opgeheven|opgezegd|uitgeschakeld|gedeactiveerd|gesloten|verwijderd|verlopen|inactief|niet (?:meer )?(?:actief|in gebruik)',
    is: 'is|werd|al',
    your: 'uw|je|jouw',
  },
  nordic: {
    mailbox:
      'anvandare?n?|mottagare?n?|brevlada?n?|kontot?|bruger(?:en)?|modtager(?:en)?|postkasse[nt]?|bruker(?:en)?|mottaker(?:en)?|(?:e-?post|e-?mail)?adress?en?|kayttajaa?|vastaanottajaa?|postilaatikkoa?|osoitetta',
    missing:
      'finns inte|hittades inte|existerar inte|okan[dt]\\b|finn?es ikke|find?es ikke|eksisterer ikke|ukendt\\b|ukjent\\b|ikke fun(?:det|net)|ei ole(?: olemassa)?\\b|ei loydy|tuntematon',
    invalid: 'ogiltig\\b|ugyldig\\b|virheellinen',
    noSuch:
      'ingen (?:sadan |slik )?(?:anvandare|mottagare|bruker|mottaker|bruger|modtager)(?: med (?:det|dette) nam?(?:net|vne?t|vn))?$|(?:okand|ogiltig) (?:mottagare|anvandare)|ugyldig (?:bruker|mottaker|modtager)|ukendt (?:bruger|modtager)|ukjent (?:bruker|mottaker)|tuntematon (?:kayttaja|vastaanottaja)',
    disabled:
      'inaktivera[dt]\\b|avsluta[dt]\\b|nedlagt\\b|nedlagd\\b|deaktiver(?:et|t)\\b|lukket\\b|slettet\\b|stengt\\b',
    is: 'ar|er|har|blivit|blevet|blitt',
    your: 'din|ditt|dit',
  },
  hungarianAndRomanian: {
    mailbox:
      'felhasznalo|cimzett|postafiok|utilizator(?:ul)?|destinatar(?:ul)?|casuta(?: postala| de e-?mail)?|contul|adresa de e-?mail',
    missing:
      'nem (?:letezik|talalhato)|ismeretlen|nu (?:mai )?exista|necunoscut|inexistent|nu a fost gasita?',
    invalid: 'ervenytelen|invalida?\\b',
    noSuch: 'ismeretlen (?:felhasznalo|cimzett)|nincs ilyen (?:felhasznalo|cimzett|postafiok)',
    disabled: 'megszunt|torolve|felfuggesztve|dezactivata?\\b|suspendata?\\b|stears?a?\\b|inchisa?\\b',
    is: 'van|lett|a|este|fost',
  },
  southSlavic: {
    mailbox:
      'korisnik|uporabnik|prima(?:la|o)c|primatelj|prejemnik|pretinac(?: e-?poste)?|(?:e-?)?postni predal|(?:postansko |e-?mail )?sanduce|(?:korisnicki )?(?:nalog|racun)|(?:e-?mail |e-?postna )?(?:adresa|naslov)',
    missing:
      'ne (?:postoji|obstaja)|nepoznat[aoi]?\\b|neznan[aoi]?\\b|nije prona[dđ]j?en[ao]?\\b|ni najden[ao]?\\b',
    invalid: 'neispravn[aoi]\\b|neveljav(?:en|n[ao])\\b',
    noSuch: '(?:nepoznati?|nepostojeci) (?:korisnik|prima(?:la|o)c|primatelj)|neznan (?:uporabnik|prejemnik)',
    disabled:
      'deaktiviran[ao]?\\b|onemogucen[ao]?\\b|obrisan[ao]?\\b|izbrisan[ao]?\\b|ugasen[ao]?\\b|ukinjen[ao]?\\b|zaprt[ao]?\\b',
    is: 'je|vise|bio|bila',
    your: 'vas[ae]?|tvoj[ae]?',
  },
  baltic: {
    mailbox:
      'naudotojas|vartotojas|gavejas|(?:el\\. ?)?pasto (?:dezute|adresas)|paskyra|lietotajs|sanemejs|pastkaste|(?:e-?pasta )?adrese|kasutajat?|saajat?|postkasti?|kontot?|(?:e-?posti ?)?aadressi?',
    missing:
      'neegzistuoja|neras(?:tas|ta)\\b|nezinomas\\b|neeksiste|nav atrast[sa]\\b|nezinams\\b|ei eksisteeri|ei leitud|ei ole olemas|tundmatu',
    invalid: 'neteising(?:as|a)\\b|nederig[sa]\\b|vigane\\b',
    noSuch: 'nezinomas (?:gavejas|vartotojas)|nezinams (?:lietotajs|sanemejs)|tundmatu (?:kasutaja|saaja)',
    disabled:
      'isjungtas?\\b|isjungta\\b|pasalint(?:as|a)\\b|slegts\\b|slegta\\b|dzests\\b|dzesta\\b|suletud\\b|kustutatud\\b',
    is: 'yra|buvo|ir|tika|on',
    your: 'jusu|tavo|teie|sinu',
  },
  catalan: {
    mailbox:
      "(?:l')?usuari(?: destinatari)?|destinatari|bustia(?: de correu)?|compte(?: de correu)?|adreca(?: (?:de correu|electronica|del destinatari))?",
    missing: "no existeix|desconegu(?:t|da)\\b|inexistent|no s'ha trobat|no (?:ha estat )?trobad?a?t?\\b",
    invalid: 'no (?:es )?valid[a]?\\b|invalid[a]?\\b',
    noSuch: "no existeix (?:l'|la |el |cap )(?:usuari|bustia|destinatari|adreca|compte)",
    disabled: 'desactivad?[at]\\b|tancad?[at]\\b|eliminad?[at]\\b|suspes[ao]?\\b',
    is: 'es|esta|ha|estat',
    your: 'el seu|la seva|vostr[ae]',
  },
  greek: {
    mailbox:
      '(?:ο )?χρήστης|παραλήπτης|(?:ο )?λογαριασμός|γραμματοκιβώτιο|(?:η )?διεύθυνση(?: (?:email|ηλεκτρονικού ταχυδρομείου))?',
    missing: 'δεν υπάρχει|δεν βρέθηκε|άγνωστ(?:ος|ο|η)',
    invalid: 'μη έγκυρ(?:ος|ο|η)',
    noSuch: 'άγνωστος (?:χρήστης|παραλήπτης)',
    disabled: 'απενεργοποι\\S+|διαγρ[άα]\\S+',
    is: 'έχει|είναι',
    your: '(?:σας)',
  },
  southEastAsian: {
    mailbox:
      'nguoi (?:dung|nhan)|hop thu|tai khoan|đia chi(?: e-?mail)?|pengguna|penerima|kotak (?:surat|masuk)|akun|alamat(?: (?:e-?mail|surel))?',
    missing: 'khong ton tai|khong (?:đuoc )?tim thay|tidak (?:ditemukan|dikenal|terdaftar|wujud)',
    invalid: 'khong hop le|tidak (?:valid|sah)\\b',
    noSuch:
      'khong (?:co|tim thay) (?:nguoi (?:dung|nhan)|hop thu|tai khoan) (?:nay|nao)|(?:tidak ada|tak ada) (?:pengguna|penerima|akun) (?:dengan nama )?(?:ini|itu|tersebut)',
    disabled: '(?:đa )?bi (?:vo hieu hoa|khoa|xoa)|dinonaktifkan|ditutup|dihapus',
    is: 'đa|sudah|telah',
    your: 'anda',
  },
  turkish: {
    mailbox: '(?:e-?posta )?(?:kullan[iı]c[iı]|al[iı]c[iı]|hesap|hesab[iı]|adresi?)|posta kutusu',
    missing: 'bulunamad[iı]|mevcut degil|tan[iı]ml[iı] degil|bilinmiyor',
    invalid: 'gecersiz|yok\\b',
    noSuch:
      '(?:bilinmeyen|gecersiz) (?:kullan[iı]c[iı]|al[iı]c[iı])|boyle bir (?:kullan[iı]c[iı]|al[iı]c[iı]|hesap|adres|posta kutusu) (?:yok|bulunamad[iı])',
    disabled: 'devre d[iı]s[iı]|kapat[iı]l|ask[iı]ya al[iı]n|silin(?:di|mis)|pasif\\b',
    is: 'art[iı]k|kal[iı]c[iı] olarak',
  },
};

const cyrillic: Language = {
  mailbox:
    'пользовател[ья]|получател[ья]|адресат|абонент|(?:почтовый )?ящик|аккаунт|уч[её]тная запись|(?:почтовый адрес|адрес (?:получателя|электронной почты))|користувач|одержувач|(?:поштова )?скринька|(?:(?:имейл|пощенска(?:та)?) )?кутия(?:та)?|потребител(?:ят)?|получател(?:ят)?',
  missing:
    'не (?:был )?найден|не существует|неизвест[её]?н|не зарегистрирован|отсутствует|не знайден|не існує|невідом|не съществува|не е намерен|непознат',
  invalid: 'недействител|недійсн|невалид(?:ен|на)',
  noSuch:
    '(?:нет|не существует) так(?:ого|ой) (?:пользователя|получателя|адресата|адреса|ящика|уч[её]тной записи)|так(?:ого|ой) (?:пользователя|получателя|адресата|адреса|(?:почтового )?ящика) (?:здесь |у нас )?(?:нет|не существует)|(?<=^(?:(?:данный|этот|такой) )?)адрес (?:<address> )?не (?:существует|найден)|(?:неизвестный|несуществующий) (?:пользователь|получатель|адресат|адрес|ящик)|(?:непознат|несъществуващ) (?:потребител|получател)',
  disabled:
    '(?:был )?(?:удал[её]н|отключ[её]н|деактивирован|закрыт|ліквідован)|неактивен|(?:был )?заблокирован[ао]? (?:за|из-за|по причине|в связи с) (?:\\S+ )?неактивност',
  is: '(?:был|был[ао]|больше|навсегда)',
  your: 'ваш|ваша|твой',
};

/** Chinese, Japanese and Korean write no spaces between these words. */
const eastAsian = {
  missing: [
    '(?:用户|用戶|使用者|收件人|邮箱|郵箱|信箱|[帐账][号户]|帳號)(?:地址|名)?(?:<address>|[「」"\'\\s])*(?:并)?(?:不存在|未找到|找不到|无效|無效)',
    '(?:未知|无此|無此|没有(?:此|这个|该)|沒有(?:此|這個)|不存在的?|无效的?)(?:用户|用戶|使用者|收件人|邮箱|郵箱|信箱|[帐账][号户]|帳號)',
    '查无此(?:人|用户)',
    '(?:找不到|未找到)(?:此|该|這個|这个)?(?:用户|用戶|使用者|收件人|邮箱|郵箱|信箱|[帐账][号户]|帳號)',
    '(?:ユーザー?|宛先|あて先|受信者|メールボックス|(?:メール)?アドレス|アカウント)(?:<address>|[^。、<]){0,14}(?:存在しま?せん|存在しない|見つかりません|見つからない|不明|ありません|いません)',
    '存在しない(?:ユーザー?|宛先|受信者|メールボックス|(?:メール)?アドレス|アカウント)',
    '(?:사용자|수신자|계정|메일함|메일 ?주소|받는 ?사람|사서함)(?:[를을이가은는]|<address>|\\s)*(?:존재하지|찾을 수 없|없습니다|없음|알 수 없)',
    '(?:존재하지 않는|등록되지 않은|없는|알 수 없는) (?:사용자|수신자|계정|메일함|메일 ?주소|사서함)',
  ].join('|'),
  disabled: [
    '(?:用户|用戶|收件人|邮箱|郵箱|信箱|[帐账][号户]|帳號)(?:已|已经|已被|被)?(?:停用|禁用|冻结|凍結|注销|註銷|关闭|關閉|删除|刪除)',
    '(?:ユーザー?|メールボックス|(?:メール)?アドレス|アカウント)[はが]?(?:既に|すでに)?(?:無効|停止|解約|削除|廃止)',
    '(?:계정|사용자|메일함|사서함)[은는이가]?\\s?(?:휴면|정지|해지|탈퇴|비활성|삭제)|휴면 (?:계정|사용자)',
  ].join('|'),
};

/** A full or a passing state, in the languages of this file. */
const fullOrPassing = [
  '\\bvoll\\b|plein|pien[oa]\\b|llen[oa]\\b|chei[oa]\\b|\\bpe[lł]n[aey]\\b|przepe[lł]n|\\bpln[aey]\\b|\\bvol\\b|\\bfull\\b|\\bdolu\\b|\\bpun[ao]?\\b|\\bpoln[ao]?\\b|переполн|пълн|повн|γεμάτ|πλήρ|đay(?![a-z])|\\bpenuh\\b|pilnas?\\b|\\btais\\b|\\bplena?\\b|[满滿]|一杯|容量|가득',
  'temporal|temporan|temporair|temporari|temporar|vorue?bergehend|zeitweilig|momenta|zurzeit|zur zeit|provisoire|tymczas|docasn|tijdelijk|midlertid|tillfallig|gecici|privremen|zacasn|trenutno|laikinai|islaicig|ajutis|tam thoi|sementara|προσωριν|врем[ея]н|тимчас|[临臨]时|暂|暫|一時|일시',
].join('|');

/**
 * A refusal or a state in another language. Next to these words, as next to `besideTheMailbox`, an enhanced code alone
 * proves nothing.
 */
export const refusedElsewhere = `rejeitad|recusad|bloquead|bloque\\w*|bloccat|gesperrt|zablokowan|blokiran|заблокир|poli[tc]i[ct]\\w*|polityk|richtlinie|rechazad|refusee?\\b|refuse par|rifiutat|respint|abgelehnt|verweigert|odrzucon|odmitnut|geweigerd|afvist|avvist|avvisad|hylatty|elutasit|reddedil|odbijen|zavrnjen|отклон|отказан|відхил|отхвърл|拒|거부|거절|${fullOrPassing}`;

/** The sender, a domain or a host, a login, a full or a passing state: then the line does not say that it is gone. */
const otherTopics = [
  fullOrPassing,
  // A domain or a server only names the place in "no existe en este dominio".
  '(?<!\\b(?:en (?:este|ese|el)|n[eo]ste|n[eo]sse|(?:dans|sur) (?:ce|le|notre)|(?:in|unter|auf) d(?:iese)?[rm]|(?:su|in) quest[oa]|nel|sul|(?:w|na) t(?:ej|ym)|(?:v|na) t(?:eto|omto)|(?:op|in) (?:dit|deze)) )(?:domini[oa]?|dominiu|domain(?:e|es|s)?\\b|dom(?:ae?|e)ne\\b|domein|domen[ay]?\\b|serv(?:idor|eur|er)|serwer)',
  '(?<!на этом |на нашем )сервер|服务器|伺服器|サーバ|서버',
  // Senders whom the recipient does not know.
  '\\bvon unbekannten\\b',
  // The client's own.
  '您的|你的|お客様|귀하',
  'alan ad[iı]|ten mien|may chu|τομέα|διακομιστ|сървър|домейн|домен|域名|网域|網域|ドメイン|도메인',
  '\\b(?:ip|dns|ptr|spf|dkim|smtp|helo|relay\\w*|spam|quota)\\b|auth?ent\\w*|autentica\\w*|autori[sz]\\w*|antispam',
  'emisor|emissor|emetteur|expedi\\w+|remitent|remetente|mittente|absende\\w*|afzender|nadawc\\w+|odes[ie]lat\\w*|avsandar|afsender|avsender|lahettaja|felado|expeditor|gonder\\w*|po[sš]ilj\\w+|siuntej\\w*|sutitaj\\w*|saatja\\w*|nguoi gui|pengirim|αποστολ|подател|відправник|отправ\\w*|发件|發件|发信|寄件|差出人|送信|발신|보[낸내]',
  // A fault, another try, or an end to it.
  'fehler|\\berreur|\\berr(?:or|ore|o)\\b|b[lł]ad\\b|\\bchyba\\b|\\bfout\\b|\\bhata\\b|ошибк|помилк|грешк|错误|錯誤|エラー|오류',
  'riprova|reessay|reintent|intente|novamente|sprobuj|zkuste|versuch|probeer|forsok|попробуй|повтор|спробуй|稍[后後]|再試|再试|나중|後ほど|\\bmomento\\b|\\bplus tard\\b|mas tarde|spater|spaeter',
  '\\bfino a|\\bhasta\\b|\\bjusqu|\\bbis (?:zum|auf)|\\bate o\\b|vacacion|conges\\b|\\bferi(?:e|en|as)\\b|urlaub|feiertag|urlop|vakantie|dovolen|отпуск|休假|休業',
  '(?:votre|vos|ihre?[mnr]?|deine?[mnr]?|vuestr[oa]|\\bsu|\\btu|seu|sua|tua|vostr[oa]) (?:annuaire|carnet|verzeichnis|adressbuch|directorio|agenda|rubrica|empresa|entrepri[sz]e|firma|azienda)|contact[os]s?\\b|contatt[io]|contatos|通[讯訊][录錄]|联系人',
  // What else may be the reason: a permission, or something that is out of reach.
  'berechtig|befugt|\\bpermi(?:so|ss)|permesso|uprawn|opravnen|toestemming|behorighet|tilladelse|tillatelse|\\bizin|acc?es(?:so?|o)? (?:refus|interdit|denegad|negat|negad)|zugriff|разреш|доступ|权限|權限|限制',
  'nedostup|niedostepn|indisponib|no disponible|nicht (?:verfue?gbar|erreichbar)|onbereikbaar|不可用',
  '\\bpara sua?\\b|\\bpour v(?:otre|os)\\b|\\bfue?r (?:ihr|sie)|\\bred\\b|reseau|netzwerk|\\brete\\b|\\brede\\b|сет[ьи]|网络|網路',
  "de salida|saliente|sortante?|d'envoi|in uscita|ausgehend|wychodz|odchozi|исходящ|出站",
  '\\blist[aey]?\\b|\\blijst\\b|\\bpopis|\\bseznam|\\bllista|saras[ae]|sarakst|nimekir|danh sach|\\bdaftar\\b|λίστα|whitelist|списк|списък|名单|リスト|passwor[dt]|mot de passe|contrasena|\\bsenha\\b|\\bhas[lł]o\\b|\\bheslo\\b|wachtwoord|losenord|sifre|parola|lozink|geslo|κωδικ|mat khau|kata sandi|парол|密码|パスワード|비밀번호',
].join('|');

/** What is deleted or closed may be the message. */
const message =
  '\\b(?:nachricht|message|mensaje|messaggio|mensagem|wiadomosc|zprav|bericht|meddeland|mesaj)|сообщени|письм|邮件(?!地址)|郵件(?!地址)|メッセージ|메시지';

const gap = '(?:(?!domin|dom[ae]i?n|domen|server|serv[ei]|host|ptr|regist)[^.;:]){0,40}? ';
const name = '(?: [(["\']?<address>[)\\]"\']?| ["\'<(][\\w.+-]{1,64}["\'>)])?';

/** After an active verb, as in "le destinataire a supprimé votre adresse". */
const object =
  "el|la|los|las|il|lo|gli|le|les|l'|un|una|une|vos|votre|su|o|os|as|sua|seu|fur|in|a|an|de|da|do|mail|e-?mail|post|pro|pour|para|per|voor|для";

/** Before a reason for which a mailbox is out of use; only that it was not used makes it gone. */
const because =
  'por|wegen|pour|per|aus|durch|z powodu|kvuli|vanwege|wegens|door|pa grund|av|из-за|по|за|в связи с|через|zbog|zaradi';

const disuse = 'inacti|inutili|falta de uso|nichtnutz|non-?utili|неактив';

/** Letters of any script, where `\b` knows only the Latin ones. */
const start = '(?<![\\p{L}\\p{N}-])';
const end = '(?![\\p{L}\\p{N}-])';

function notYours({ your }: Language): string {
  return your === undefined ? start : `(?<!${start}(?:${your}) )${start}`;
}

function sayMissing(language: Language): string {
  const { mailbox, missing, invalid, is, noSuch } = language;
  const owner = `${notYours(language)}(?:${mailbox})${end}`;
  return `${owner}(?:${gap}(?:${missing})|${name}:?(?: (?:${is})){0,3} (?:${invalid}))|${start}(?:${noSuch})`;
}

function sayDisabled(language: Language): string {
  const { mailbox, is, disabled } = language;
  return `${notYours(language)}(?:${mailbox})${end}${name}(?: (?:${is})){0,3} (?:${disabled})(?! (?!(?:${because}) (?:${disuse}))(?:${object}|(?:${because}) ))`;
}

const alphabetic = [...Object.values(latin), cyrillic];

/** Sentences about a missing or disabled mailbox in languages other than English. */
export const languageRules: readonly ReplyRule[] = [
  {
    meaning: 'missing',
    text: new RegExp([...alphabetic.map(sayMissing), '^nie istnieje$', eastAsian.missing].join('|'), 'u'),
    except: new RegExp(otherTopics, 'u'),
    samples: [
      '550 Utilisateur inconnu',
      '550 Nessun utente simile in questo indirizzo',
      '550 No existe dicha persona',
      '550 <nobody@ordinary.example>, destin. sconosciuto',
      '550 Questo indirizzo non esiste',
      '550 Nie ma takiego konta',
      '550 Usuario desconocido',
      '550 Unbekannter Benutzer',
      '550 El buzón no existe',
      '550 El usuario no tiene una cuenta en este servidor',
      '550 Podane konto nie istnieje / No mailbox here by that name',
    ],
  },
  {
    meaning: 'disabled',
    text: new RegExp([...alphabetic.map(sayDisabled), eastAsian.disabled].join('|'), 'u'),
    except: new RegExp(`${otherTopics}|${message}`, 'u'),
    samples: [
      "550 Questo indirizzo e' bloccato per inutilizzo",
      '550 Cuenta suspendida',
      '550 Podane konto jest zablokowane administracyjnie lub nieaktywne',
      '550 Esta casilla ha expirado por falta de uso',
    ],
  },
];
