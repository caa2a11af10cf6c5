/** What pages say, in English. The other languages have the same texts. */

const minutes = (seconds: number) => {
  const number = Math.ceil(seconds / 60)
  return number === 1 ? "a minute" : `${number} minutes`
}

const layout = {
  error: "Error",
  frontPage: "To the front page",
  signedInAs: "You are signed in as",
  signOut: "Sign out"
}

const signIn = {
  title: "Sign in",
  handle: "Handle",
  handleOrAddress: "Handle or email address",
  password: "Password",
  submit: "Sign in",
  or: "Other ways to sign in",
  withProvider: (name: string) => `Sign in with ${name}`,
  withCode: { email: "Get a code by email", phone: "Get a code by text message" },
  done: "You are signed in",
  handleMissing: "Enter your handle.",
  passwordMissing: "Enter your password.",
  handleUnknown: "No account has this handle.",
  addressUnknown: "No account has this email address.",
  addressesNotTaken: "Enter your handle, not an email address.",
  passwordWrong: "The password is wrong.",
  passwordNotSet: "This account has no password. Sign in in another way.",
  suspended: "This account is suspended and cannot sign in."
}

const code = {
  title: "Sign in with a code",
  send: "Send the code",
  code: "Code",
  submit: "Sign in",
  again: "Send another code",
  withPassword: "Sign in with a password",
  codeWrong: "The code is wrong or no longer valid.",
  ways: {
    email: {
      intro: "We send a code of six digits to your email address. It is valid for one hour.",
      sentTo: "We have sent a code to this address:",
      codeMissing: "Enter the code from the mail.",
      address: "Email address",
      addressInvalid: "Enter an email address, such as name@example.com.",
      addressUnknown: "Nobody signs in with codes by this address."
    },
    phone: {
      intro: "We send a code of six digits to the phone of your account. It is valid for one hour.",
      sentTo: "We have sent a message to this number. If it is that of your account, there is a code in it:",
      codeMissing: "Enter the code from the message.",
      number: "Phone number",
      numberInvalid: "Enter a phone number with the code of its country, such as +49 1512 3456789.",
      noNumber: "Nobody signs in with codes by phone with this handle."
    }
  }
}

const device = {
  title: "Connect a device",
  intro: "Enter the code that your device shows.",
  code: "Code",
  hint: "Eight letters and digits, such as WDJB-MJHT.",
  submit: "Continue",
  codeMissing: "Enter the code that your device shows.",
  codeWrong: "This code is wrong or no longer valid. Let the device show a new one.",
  codeTaken: "Another account has already used this code. Let the device show a new one.",
  compare: "Does your device show this code?",
  warning: "Go on only if you have just started this yourself. Nobody else should have given you the code.",
  approvedTitle: "The device is connected",
  approved: "You may close this page and go back to your device.",
  deniedTitle: "The device was not connected",
  denied: "It has been told. You may close this page."
}

const consent = {
  title: "Allow access?",
  asks: "wants to use your account.",
  id: "Its id:",
  leadsTo: "You then go on to:",
  leadsToProgram: "A program on this device is then opened by:",
  leadsHere: "You then go on to a program on this device:",
  may: "It may:",
  mayNothing: "It learns nothing of you and may do nothing in your name.",
  inherits: "It may do everything that your account may do.",
  inheritsMore: "It may also:",
  notGranted: "It asked for these as well, but does not get them, as it or your account may not do them:",
  approve: "Allow",
  deny: "Do not allow",
  until: "Administrators can end this access at any time.",
  lacksPermission: "Your account may not give programs access. Those who run this place can allow it.",
  gone: "This request is no longer valid. Begin again in the program that sent you here.",
  noClient: "The program that sent you here is not known any more.",
  disabled: "Programs cannot be given access here.",
  failedTitle: "This is not possible"
}

const failures = {
  suspendedTitle: "Your account is suspended",
  suspended: "You can sign out and do nothing else until staff reinstate it.",
  forbiddenTitle: "You may not do this",
  forbidden: "Your account lacks the permission. Those who run this place can give it.",
  busyTitle: "There is too much to do right now",
  busy: "Try again in a moment.",
  tooManyTitle: "Too many attempts",
  tooMany: (seconds: number) => `Try again in ${minutes(seconds)}.`,
  formTitle: "The form cannot be read",
  form: "Go back and try again.",
  failedTitle: "Something went wrong",
  failed: "Try again later. If it happens again, tell those who run this place this number:"
}

const elsewhere = {
  refusedTitle: "You were not signed in",
  again: "Sign in in another way",
  denied: "The other service does not say who you are. Begin again.",
  notBegun: "You have begun in another browser, or too long ago. Begin again.",
  unknown: "Nobody signs in here with this service.",
  unavailable: "The other service does not answer as it should. Try again later.",
  closed: "You have no account here yet, and nobody can make one, or only with an invitation.",
  taken: "Another account here signs in with this account already.",
  tooMany: "Your account has as many accounts at other services as it may have."
}

const remote = {
  title: "Connected",
  connectedTo: "This place is now connected to:",
  refusedTitle: "Not connected",
  denied: "The other server did not allow the connection.",
  notBegun: "You have not begun this, or too long ago. Begin again.",
  otherServer: "Another server than the one that you went to has sent you back. Begin again.",
  noToken: "The other server gave no access. Begin again."
}

const front = {
  title: "The API of a forum",
  text: "People read this forum with a frontend or a program.",
  signIn: "Sign in",
  reference: "Reference of the API",
  description: "Its description, as OpenAPI",
  problems: "The problems that it answers with",
  health: "Health: an empty page while all is well",
  version: "Version"
}

const problems = {
  title: "Problems",
  intro:
    "Every failure of the API is one of these problems. The field `type` of an answer is the address of its page here.",
  all: "All problems",
  status: "Status",
  name: "Name",
  type: "Type"
}

export const english = {
  layout,
  signIn,
  code,
  device,
  consent,
  failures,
  elsewhere,
  remote,
  front,
  problems
}

export type Texts = typeof english
