/** Reads settings that say where mails are handed over and whom they are from. Pure. */
import { Redacted } from "effect"

/**
 * When the connection to a mail server is encrypted. `always`: from the first byte. `required`: after the greeting,
 * else no mail is sent. `offered`: after the greeting, if the server offers it. `off`: never.
 */
export type Encryption = "always" | "required" | "offered" | "off"

export interface MailServer {
  readonly host: string
  readonly port: number
  readonly encryption: Encryption
  /** Whether the certificate of the server has to be valid. */
  readonly isVerified: boolean
  readonly user: { readonly name: string; readonly password: Redacted.Redacted } | undefined
}

export interface Sender {
  /** The name that mails are from; may be empty. */
  readonly name: string
  readonly address: string
}

const isThisMachine = (host: string) => /^(localhost|127\.\d+\.\d+\.\d+|::1)$/i.test(host)

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const userOf = ({ password, username }: URL): MailServer["user"] | "invalid" => {
  if (username === "" && password === "") return undefined
  const [name, secret] = [decoded(username), decoded(password)]
  return name === undefined || secret === undefined || name === "" || secret === ""
    ? "invalid"
    : { name, password: Redacted.make(secret) }
}

const choices = {
  tls: new Map<string, Encryption>([
    ["required", "required"],
    ["offered", "offered"],
    ["off", "off"]
  ]),
  verify: new Map([
    ["on", true],
    ["off", false]
  ])
}

/** The parameters of the address: `tls` and `verify`, each once at most, and no others. */
const readOptions = (parameters: URLSearchParams) => {
  const given = new Map(parameters)
  const tls = choices.tls.get(given.get("tls") ?? "")
  const verify = choices.verify.get(given.get("verify") ?? "")
  const understood = Number(tls !== undefined) + Number(verify !== undefined)
  return understood === parameters.size ? { tls, verify } : undefined
}

/** Reads `smtp://user:password@host:port?tls=…&verify=…`; `smtps` is encrypted from the first byte. */
export const readMailServer = (text: string): MailServer | undefined => {
  const url = URL.parse(text)
  if (url === null || !/^smtps?:$/.test(url.protocol) || !/^\/?$/.test(url.pathname) || url.hash !== "")
    return
  const host = (decoded(url.hostname) ?? "").replace(/^\[(.*)\]$/, "$1")
  const user = userOf(url)
  const options = readOptions(url.searchParams)
  if (!/^[\w.:-]+$/.test(host) || user === "invalid" || options === undefined || url.port === "0") return
  const isImplicit = url.protocol === "smtps:"
  if (isImplicit && options.tls !== undefined) return
  // A password goes to another machine only through an encrypted connection, unless the operator says otherwise.
  const usual = user !== undefined && !isThisMachine(host) ? "required" : "offered"
  const encryption = isImplicit ? "always" : (options.tls ?? usual)
  return {
    host,
    port: url.port === "" ? (isImplicit ? 465 : 587) : Number(url.port),
    encryption,
    // The certificate of a server on this machine is seldom one that others vouch for.
    isVerified: options.verify ?? !isThisMachine(host),
    user
  }
}

const address = /^[^\s@<>,;:"()[\]\\]{1,64}@[^\s@<>,;:"()[\]\\]{1,190}$/u

/** Reads `address`, `<address>` or `Name <address>`. */
export const readSender = (text: string): Sender | undefined => {
  const [, name = "", inBrackets] = /^([^<>\p{Cc}]*)<([^<>]*)>$/u.exec(text) ?? []
  const sender = { name: name.trim().replace(/^"(.*)"$/, "$1"), address: (inBrackets ?? text).trim() }
  return address.test(sender.address) && sender.name.length <= 100 ? sender : undefined
}
