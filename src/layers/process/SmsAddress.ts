/** Reads the setting that says where text messages are handed over. Pure. */
import { Redacted } from "effect"

export type SmsProvider =
  | {
      readonly _tag: "Twilio"
      readonly account: string
      readonly token: Redacted.Redacted
      /** A number, a name that phones show, or the id of a messaging service. */
      readonly sender: string
    }
  | {
      readonly _tag: "Https"
      /** The address, which may contain a secret. */
      readonly url: Redacted.Redacted
      /** The name and the password of the address, if it has them, as a header. */
      readonly authorization: Redacted.Redacted | undefined
    }

const number = "\\+[1-9]\\d{6,14}"
// At most eleven letters and digits, of which one is a letter.
const name = "(?=[\\w ]{0,10}[A-Za-z])[A-Za-z\\d ]{1,11}"
const service = "MG[\\da-f]{32}"

const twilio = new RegExp(`^twilio://(AC[\\da-f]{32}):([^\\s:@/?#]+)@(${number}|${service}|${name})$`)

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const readTwilio = (text: string): SmsProvider | undefined => {
  const [, account, written = "", sender] = twilio.exec(text) ?? []
  const token = decoded(written)
  if (account === undefined || token === undefined || sender === undefined) return undefined
  return { _tag: "Twilio", account, token: Redacted.make(token), sender }
}

const readHttps = (text: string): SmsProvider | undefined => {
  const url = /\s/.test(text) ? null : URL.parse(text)
  if (url === null || url.protocol !== "https:" || url.hash !== "") return undefined
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (user === undefined || password === undefined || user.includes(":")) return undefined
  url.username = ""
  url.password = ""
  const isNamed = user !== "" || password !== ""
  return {
    _tag: "Https",
    url: Redacted.make(url.href),
    authorization: isNamed
      ? Redacted.make(`Basic ${new TextEncoder().encode(`${user}:${password}`).toBase64()}`)
      : undefined
  }
}

/** Reads `twilio://sid:token@from`, or an `https` address that takes messages as JSON. */
export const readSmsProvider = (text: string): SmsProvider | undefined =>
  text.startsWith("twilio:") ? readTwilio(text) : readHttps(text)
