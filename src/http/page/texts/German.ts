/** What pages say, in German. */
import type { Texts } from "./English.ts"

const minutes = (seconds: number) => {
  const number = Math.ceil(seconds / 60)
  return number === 1 ? "einer Minute" : `${number} Minuten`
}

export const german: Texts = {
  layout: {
    error: "Fehler",
    frontPage: "Zur Startseite",
    signedInAs: "Sie sind angemeldet als",
    signOut: "Abmelden"
  },
  signIn: {
    title: "Anmelden",
    handle: "Benutzername",
    handleOrAddress: "Benutzername oder E-Mail-Adresse",
    password: "Passwort",
    submit: "Anmelden",
    or: "Andere Wege, sich anzumelden",
    withProvider: (name) => `Mit ${name} anmelden`,
    withCode: { email: "Code per E-Mail anfordern", phone: "Code per SMS anfordern" },
    done: "Sie sind angemeldet",
    handleMissing: "Geben Sie Ihren Benutzernamen ein.",
    passwordMissing: "Geben Sie Ihr Passwort ein.",
    handleUnknown: "Kein Konto hat diesen Benutzernamen.",
    addressUnknown: "Kein Konto hat diese E-Mail-Adresse.",
    addressesNotTaken: "Geben Sie Ihren Benutzernamen ein, keine E-Mail-Adresse.",
    passwordWrong: "Das Passwort ist falsch.",
    passwordNotSet: "Dieses Konto hat kein Passwort. Melden Sie sich auf einem anderen Weg an.",
    suspended: "Dieses Konto ist gesperrt. Eine Anmeldung ist nicht möglich."
  },
  code: {
    title: "Mit einem Code anmelden",
    send: "Code schicken",
    code: "Code",
    submit: "Anmelden",
    again: "Einen anderen Code schicken",
    withPassword: "Mit einem Passwort anmelden",
    codeWrong: "Der Code ist falsch oder nicht mehr gültig.",
    ways: {
      email: {
        intro:
          "Wir schicken einen Code aus sechs Ziffern an Ihre E-Mail-Adresse. Er ist eine Stunde lang gültig.",
        sentTo: "Wir haben einen Code an diese Adresse geschickt:",
        codeMissing: "Geben Sie den Code aus der E-Mail ein.",
        address: "E-Mail-Adresse",
        addressInvalid: "Geben Sie eine E-Mail-Adresse ein, zum Beispiel name@example.com.",
        addressUnknown: "Mit dieser Adresse meldet sich niemand durch einen Code an."
      },
      phone: {
        intro:
          "Wir schicken einen Code aus sechs Ziffern an das Telefon Ihres Kontos. Er ist eine Stunde lang gültig.",
        sentTo:
          "Wir haben eine Nachricht an diese Nummer geschickt. Wenn es die Ihres Kontos ist, steht ein Code darin:",
        codeMissing: "Geben Sie den Code aus der Nachricht ein.",
        number: "Telefonnummer",
        numberInvalid:
          "Geben Sie eine Telefonnummer mit der Landesvorwahl ein, zum Beispiel +49 1512 3456789.",
        noNumber: "Mit diesem Benutzernamen meldet sich niemand durch einen Code per SMS an."
      }
    }
  },
  device: {
    title: "Gerät verbinden",
    intro: "Geben Sie den Code ein, den Ihr Gerät anzeigt.",
    code: "Code",
    hint: "Acht Buchstaben und Ziffern, zum Beispiel WDJB-MJHT.",
    submit: "Weiter",
    codeMissing: "Geben Sie den Code ein, den Ihr Gerät anzeigt.",
    codeWrong: "Dieser Code ist falsch oder nicht mehr gültig. Lassen Sie das Gerät einen neuen anzeigen.",
    codeTaken:
      "Ein anderes Konto hat diesen Code schon verwendet. Lassen Sie das Gerät einen neuen anzeigen.",
    compare: "Zeigt Ihr Gerät diesen Code an?",
    warning:
      "Fahren Sie nur fort, wenn Sie dies gerade selbst begonnen haben. Niemand sonst sollte Ihnen den Code gegeben haben.",
    approvedTitle: "Das Gerät ist verbunden",
    approved: "Sie können diese Seite schließen und zu Ihrem Gerät zurückkehren.",
    deniedTitle: "Das Gerät wurde nicht verbunden",
    denied: "Das Gerät erfährt davon. Sie können diese Seite schließen."
  },
  consent: {
    title: "Zugriff erlauben?",
    asks: "möchte Ihr Konto verwenden.",
    id: "Seine Kennung:",
    leadsTo: "Danach geht es weiter zu:",
    leadsToProgram: "Danach wird ein Programm auf diesem Gerät geöffnet durch:",
    leadsHere: "Danach geht es weiter zu einem Programm auf diesem Gerät:",
    may: "Erlaubt wird:",
    mayNothing: "Es erfährt nichts über Sie und darf nichts in Ihrem Namen tun.",
    inherits: "Es darf alles, was Ihr Konto darf.",
    inheritsMore: "Außerdem wird erlaubt:",
    notGranted:
      "Auch darum wurde gebeten. Es wird nicht erlaubt, weil das Programm oder Ihr Konto es nicht darf:",
    approve: "Erlauben",
    deny: "Nicht erlauben",
    until: "Wer die Instanz verwaltet, kann diesen Zugriff jederzeit beenden.",
    lacksPermission:
      "Ihr Konto darf Programmen keinen Zugriff geben. Wer diesen Ort betreibt, kann es erlauben.",
    gone: "Diese Anfrage ist nicht mehr gültig. Beginnen Sie noch einmal in dem Programm, aus dem Sie kommen.",
    noClient: "Das Programm, aus dem Sie kommen, ist nicht mehr bekannt.",
    disabled: "Programmen kann hier kein Zugriff gegeben werden.",
    failedTitle: "Das ist nicht möglich"
  },
  failures: {
    suspendedTitle: "Ihr Konto ist gesperrt",
    suspended: "Sie können sich abmelden und nichts weiter tun, bis das Team die Sperre aufhebt.",
    forbiddenTitle: "Das dürfen Sie nicht",
    forbidden: "Ihrem Konto fehlt die Berechtigung. Wer diesen Ort betreibt, kann sie geben.",
    busyTitle: "Gerade ist zu viel zu tun",
    busy: "Versuchen Sie es gleich noch einmal.",
    tooManyTitle: "Zu viele Versuche",
    tooMany: (seconds) => `Versuchen Sie es in ${minutes(seconds)} noch einmal.`,
    formTitle: "Das Formular ist nicht lesbar",
    form: "Gehen Sie zurück und versuchen Sie es noch einmal.",
    failedTitle: "Etwas ist schiefgegangen",
    failed:
      "Versuchen Sie es später noch einmal. Falls es wieder geschieht, nennen Sie denen, die diesen Ort betreiben, diese Nummer:"
  },
  elsewhere: {
    refusedTitle: "Die Anmeldung ist nicht gelungen",
    again: "Auf einem anderen Weg anmelden",
    denied: "Der andere Dienst sagt nicht, wer Sie sind. Beginnen Sie noch einmal.",
    notBegun:
      "Sie haben in einem anderen Browser begonnen, oder vor zu langer Zeit. Beginnen Sie noch einmal.",
    unknown: "Mit diesem Dienst meldet sich hier niemand an.",
    unavailable: "Der andere Dienst antwortet nicht, wie er soll. Versuchen Sie es später noch einmal.",
    closed: "Sie haben hier noch kein Konto, und niemand kann eines anlegen, oder nur mit einer Einladung.",
    taken: "Ein anderes Konto meldet sich hier schon mit diesem Konto an.",
    tooMany: "Ihr Konto hat so viele Konten bei anderen Diensten, wie es haben darf."
  },
  remote: {
    title: "Verbunden",
    connectedTo: "Dieser Ort ist jetzt verbunden mit:",
    refusedTitle: "Nicht verbunden",
    denied: "Der andere Server hat die Verbindung nicht erlaubt.",
    notBegun: "Sie haben dies nicht begonnen, oder vor zu langer Zeit. Beginnen Sie noch einmal.",
    otherServer:
      "Ein anderer Server als der, zu dem Sie gegangen sind, hat Sie zurückgeschickt. Beginnen Sie noch einmal.",
    noToken: "Der andere Server hat keinen Zugriff gegeben. Beginnen Sie noch einmal."
  },
  front: {
    title: "Die API eines Forums",
    text: "Dieses Forum liest man mit einem Frontend oder einem Programm.",
    signIn: "Anmelden",
    reference: "Referenz der API",
    description: "Ihre Beschreibung, als OpenAPI",
    problems: "Die Probleme, mit denen sie antwortet",
    health: "Zustand: eine leere Seite, solange alles gut ist",
    version: "Version"
  },
  problems: {
    title: "Probleme",
    intro:
      "Jeder Fehler der API ist eines dieser Probleme, die auf Englisch beschrieben sind. Das Feld `type` einer Antwort ist die Adresse seiner Seite hier.",
    all: "Alle Probleme",
    status: "Status",
    name: "Name",
    type: "Typ"
  }
}
