/** Reads the settings of keys. Pure. */
import { createPrivateKey, type KeyObject } from "node:crypto"

const encryptionKeyForm = /^[A-Za-z0-9+/_-]{43}=?$/

/** A key of 32 bytes in base64 or base64url. */
export const readEncryptionKey = (text: string): Uint8Array | undefined =>
  encryptionKeyForm.test(text) ? Buffer.from(text, "base64") : undefined

const bits = { fewest: 2048, most: 8192 }

const parse = (pem: string): KeyObject | undefined => {
  try {
    return createPrivateKey(pem)
  } catch {
    return undefined
  }
}

/** An RSA key as PEM (PKCS#8 or PKCS#1) in base64; answered as PKCS#8. */
export const readSigningKey = (text: string): string | undefined => {
  const key = parse(Buffer.from(text, "base64").toString("latin1"))
  if (key?.asymmetricKeyType !== "rsa") return undefined
  const length = key.asymmetricKeyDetails?.modulusLength ?? 0
  return length >= bits.fewest && length <= bits.most
    ? key.export({ type: "pkcs8", format: "pem" }).toString()
    : undefined
}

/** The id of a key, as it stands in tokens. */
export const readKeyId = (text: string): string | undefined =>
  /^[A-Za-z0-9._~-]{1,64}$/.test(text) ? text : undefined

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 }

/** Reads a time like 90s, 15m or 1h that is within bounds, in seconds. */
export const readLifetime =
  (fewest: number, most: number) =>
  (text: string): number | undefined => {
    const [, number = "", unit = ""] = /^(\d{1,6})([smh])$/.exec(text) ?? []
    const length = Number(number) * (units[unit] ?? 0)
    return length >= fewest && length <= most ? length : undefined
  }

const switches: Readonly<Record<string, boolean>> = { true: true, on: true, false: false, off: false }

export const readSwitch = (text: string): boolean | undefined => switches[text.toLowerCase()]
